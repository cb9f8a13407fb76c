/* The process of a session (csc repl): loads what csc makes of each entry, runs it, prints what it shows.
 * Objects stay loaded, for values refer to what is in them. An entry that ends with an exception leaves
 * the variables as they were before it; what objects and files hold stays changed.
 *
 * SIGINT makes the running code throw where it looks at the depth of the stack, which in a session it
 * does in loops too, and kernels end (interrupt.h); a second one ends the process. A thread waits for it
 * and all others block it: what they start inherits that, so that ^C on a terminal does not end the
 * linker of a driver that is building, which then would end the process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../codegen/abi/session.h"
#include "../interrupt.h"
#include "../library/console.h"
#include "../native/native.h"
#include "../objects/record.h"
#include "../state.h"
#include "show.h"

typedef struct Saved { /* a variable of an earlier entry, as it was */
    const CsVariable *v;
    union {
        void *ref;
        char *bytes;
    };
} Saved;

static struct {
    CsProgram program; /* all that were loaded, as one */
    VEC(CsKernel) kernels;
    VEC(const CsNative *) natives;
    VEC(CsRecord) records;
    const CsClass *exceptions[CS_NEXCEPTIONS];
    VEC(const CsVariable *) variables; /* the newest of each name */
    atomic_int interrupts;             /* since the entry began */
    atomic_bool running;
} session;

/* ---- one program of many -------------------------------------------------------------------- */

static void join(void *entry)
{
    const CsProgram *p = ((const CsEntry *)entry)->program;
    for (int32_t i = 0; i < p->nkernels; i++) vec_push(&session.kernels, p->kernels[i]);
    for (int32_t i = 0; i < p->nnatives; i++) vec_push(&session.natives, p->natives[i]);
    for (int32_t i = 0; i < p->nrecords; i++) {
        CsRecord none = {0};
        if ((size_t)i == session.records.len) vec_push(&session.records, none);
        if (p->records[i].name && !session.records.data[i].name)
            session.records.data[i] = p->records[i];
    }
    for (int i = 0; i < CS_NEXCEPTIONS; i++)
        if (p->exceptions && !session.exceptions[i]) session.exceptions[i] = p->exceptions[i];
    CsProgram *all = &session.program;
    if (!all->any_exception) all->any_exception = p->any_exception;
    all->exceptions = session.exceptions;
    all->kernels = session.kernels.data;
    all->nkernels = (int32_t)session.kernels.len;
    all->natives = session.natives.data;
    all->nnatives = (int32_t)session.natives.len;
    all->records = session.records.data;
    all->nrecords = (int32_t)session.records.len;
    records_declare(rt_fd());
}

/* ---- variables ------------------------------------------------------------------------------ */

static void release(const CsVariable *v)
{
    if (v->elem != CS_ELEM_REF) return;
    void *ref = *(void **)v->at;
    *(void **)v->at = NULL;
    cs_release(ref);
}

/* NULL: no memory. */
static Saved *save(const CsEntry *e)
{
    size_t table = ((size_t)e->ncarried + 1) * sizeof(Saved), bytes = 0;
    for (int32_t i = 0; i < e->ncarried; i++) bytes += (size_t)e->carried[i].bytes;
    Saved *all = mem_object(table + bytes);
    char *room = (char *)all + table;
    for (int32_t i = 0; all && i < e->ncarried; i++) {
        const CsVariable *v = all[i].v = &e->carried[i];
        if (v->elem == CS_ELEM_REF) {
            all[i].ref = cs_retain(*(void **)v->at);
            continue;
        }
        all[i].bytes = memcpy(room, v->at, (size_t)v->bytes);
        room += v->bytes;
    }
    return all;
}

static void restore(Saved *all, int32_t n, bool back)
{
    for (int32_t i = 0; i < n; i++) {
        const CsVariable *v = all[i].v;
        if (v->elem == CS_ELEM_REF) {
            void *old = all[i].ref;
            if (back) {
                old = *(void **)v->at;
                *(void **)v->at = all[i].ref;
            }
            cs_release(old);
        } else if (back) {
            memcpy(v->at, all[i].bytes, (size_t)v->bytes);
        }
    }
    mem_object_free(all);
}

static void take_place(const CsVariable *v)
{
    if (strcmp(v->name, CS_SHOWN) == 0) {
        release(v);
        return;
    }
    for (size_t i = 0; i < session.variables.len; i++)
        if (strcmp(session.variables.data[i]->name, v->name) == 0) {
            release(session.variables.data[i]);
            session.variables.data[i] = v;
            return;
        }
    if (vec_try(&session.variables)) vec_push(&session.variables, v);
}

/* ---- running -------------------------------------------------------------------------------- */

static sigset_t only_interrupt(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

static void *await_interrupts(void *unused)
{
    (void)unused;
    sigset_t set = only_interrupt();
    for (int number; sigwait(&set, &number) == 0;) {
        if (session.interrupts++ == 0 && session.running) {
            interrupt_set();
        } else if (session.running) {
            signal(number, SIG_DFL);
            pthread_sigmask(SIG_UNBLOCK, &set, NULL);
            raise(number);
        }
    }
    return NULL;
}

/* Before any other thread is made. */
static void block_interrupts(void)
{
    sigset_t set = only_interrupt();
    pthread_t thread;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, await_interrupts, NULL) == 0)
        pthread_detach(thread);
    else /* then it ends the process */
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void show(const CsEntry *e)
{
    Text out = {0};
    for (int32_t i = 0; i < e->nmade; i++)
        if (strcmp(e->made[i].name, CS_SHOWN) == 0) show_value(&out, &e->made[i]);
    console_flush();
    if (!cs_pending && out.data) fwrite(out.data, 1, out.len, stdout);
    fflush(stdout);
    text_free(&out);
}

static void tell_exception(void)
{
    console_flush();
    if (session.interrupts)
        fputs("interrupted\n", stderr);
    else
        error_print(stderr);
    rt_catch();
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static CsSessionTell out_of_memory(void)
{
    rt_throw_memory(NULL, 0);
    tell_exception();
    return CS_SESSION_FAILED;
}

static CsSessionTell run(const CsEntry *e, bool timed)
{
    Saved *saved = save(e);
    if (!saved) return out_of_memory();
    session.interrupts = 0;
    session.running = true;
    double start = seconds();
    e->run();
    if (!cs_pending) show(e);
    rt_sync();
    double took = seconds() - start;
    session.running = false;
    interrupt_clear();
    bool failed = cs_pending;
    if (failed) tell_exception();
    restore(saved, e->ncarried, failed);
    for (int32_t i = 0; i < e->nmade; i++)
        if (failed)
            release(&e->made[i]);
        else
            take_place(&e->made[i]);
    console_flush();
    if (timed && !failed) printf("%.3g ms\n", took * 1e3);
    fflush(stdout);
    return failed ? CS_SESSION_FAILED : native_makes() ? CS_SESSION_DONE_MAKES : CS_SESSION_DONE;
}

static CsSessionTell load(int file, bool timed)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file); /* stays open: the name of the object */
    void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const CsEntry *e = object ? dlsym(object, CS_ENTRY) : NULL;
    if (!e) {
        fprintf(stderr, "the entry cannot be loaded: %s\n", dlerror());
        return CS_SESSION_FAILED;
    }
    return mem_try(join, (void *)(uintptr_t)e) ? run(e, timed) : out_of_memory();
}

/* What entries print goes nowhere. */
static void turn_away(int kept[2])
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 2; i++) {
        kept[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, CS_SESSION_SOCKET + 1);
        if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO + i);
    }
    close(nowhere);
}

static void turn_back(const int kept[2])
{
    console_flush();
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        if (kept[i] < 0) continue;
        dup2(kept[i], STDOUT_FILENO + i);
        close(kept[i]);
    }
}

/* ---- the socket ----------------------------------------------------------------------------- */

/* False: there is nobody any more. */
static bool next(char *ask, int *file)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec data = {ask, 1};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room};
    m.msg_controllen = sizeof control.room;
    ssize_t n;
    while ((n = recvmsg(CS_SESSION_SOCKET, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
    struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!c || c->cmsg_type != SCM_RIGHTS) return false;
    memcpy(file, CMSG_DATA(c), sizeof *file);
    return true;
}

int32_t cs_session(int32_t argc, char **argv, const CsProgram *program)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* each entry keeps one */
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    session.program = *program;
    block_interrupts();
    rt.session = rt.stops = true;
    cs_start(argc, argv, &session.program);
    interrupt_begin();
    char ask;
    int file;
    while (next(&ask, &file)) {
        int said[2] = {-1, -1};
        if (ask == CS_SESSION_AGAIN) turn_away(said);
        char tell = (char)load(file, ask == CS_SESSION_TIME);
        if (ask == CS_SESSION_AGAIN) turn_back(said);
        if (send(CS_SESSION_SOCKET, &tell, 1, MSG_NOSIGNAL) != 1) break;
    }
    for (size_t i = 0; i < session.variables.len; i++) release(session.variables.data[i]);
    int32_t code = cs_finish();
    vec_free(&session.kernels);
    vec_free(&session.natives);
    vec_free(&session.records);
    vec_free(&session.variables);
    return code;
}
