/* The end of the stack (stack.h). C$ functions that recur throw before it comes, at cs_stack_limit;
 * what lies below is for the functions that they call. If the runtime itself needs more, the kernel
 * reports SIGSEGV at an address near the stack pointer; the handler runs on a stack of its own,
 * tells it and ends the program, for there is no frame to return to. What was written to the
 * console before is not lost. Any other SIGSEGV is left to do what it would have done. */
#include "stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "library/console.h"

enum { SPARE = 64 << 10, NEAR = 1 << 20, RESERVE = 1 << 20 };

uint64_t cs_stack_limit;

/* The stack of the main thread ends as many bytes below the name of the program, which the kernel
 * puts at its begin, as the limit says; one without a limit is used as far as a large one. */
static void set_limit(void)
{
    struct rlimit room;
    uint64_t top = getauxval(AT_EXECFN), size = UINT64_C(1) << 30;
    if (!top || getrlimit(RLIMIT_STACK, &room) != 0) return;
    if (room.rlim_cur != RLIM_INFINITY && room.rlim_cur < size) size = room.rlim_cur;
    if (top > size) cs_stack_limit = top - size + (size / 4 < RESERVE ? size / 4 : RESERVE);
}

static stack_t spare, spare_before;
static struct sigaction before;

/* Does the fault lie where a frame begins? A frame may be large: how large is a guess. */
static int is_overflow(const siginfo_t *info, const ucontext_t *at)
{
#if defined(__x86_64__)
    uintptr_t sp = (uintptr_t)at->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t sp = (uintptr_t)at->uc_mcontext.sp;
#else
    (void)at;
    uintptr_t sp = 0;
#endif
    uintptr_t address = (uintptr_t)info->si_addr;
    return address > 4096 && (sp > address ? sp - address : address - sp) < NEAR;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    static const char message[] = "Unhandled StackOverflowException: functions call each other too "
                                  "deep\n";
    if (!is_overflow(info, context)) { /* happens again when this returns, without this handler */
        sigaction(number, &before, NULL);
        raise(number); /* also if somebody sent it */
        return;
    }
    signal(number, SIG_DFL);
    console_last();
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
    _exit(1);
}

void stack_guard(void)
{
    set_limit();
    if (spare.ss_sp || !(spare.ss_sp = malloc(SPARE))) return;
    spare.ss_size = SPARE;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&spare, &spare_before) == 0) sigaction(SIGSEGV, &action, &before);
}

void stack_enter(void)
{
    static _Thread_local uint64_t limit;
    pthread_attr_t attributes;
    void *base;
    size_t size;
    if (!limit && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &base, &size) == 0)
            limit = (uint64_t)(uintptr_t)base + (size / 4 < RESERVE ? size / 4 : RESERVE);
        pthread_attr_destroy(&attributes);
    }
    cs_stack_limit = limit;
}

void stack_unguard(void)
{
    if (!spare.ss_sp) return;
    sigaction(SIGSEGV, &before, NULL);
    sigaltstack(&spare_before, NULL);
    free(spare.ss_sp);
    spare = (stack_t){0};
}
