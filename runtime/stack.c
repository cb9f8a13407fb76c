/* The end of the stack (stack.h). C$ functions that recur throw before it comes, at cs_stack_limit;
 * what lies below is for the functions that they call. If the runtime itself needs more, the kernel
 * reports SIGSEGV at an address near the stack pointer; the handler runs on a stack of its own,
 * tells it and ends the program, for there is no frame to return to. What was written to the
 * console before is not lost. Other signals of what cannot be are told with the line of what was
 * evaluated, and then do what they would have done. */
#include "stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "library/console.h"
#include "ranks/ranks.h"
#include "state.h"

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

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULTS = sizeof faults / sizeof *faults };

static stack_t spare, spare_before;
static struct sigaction before[FAULTS];

static void restore(void)
{
    for (int i = 0; i < FAULTS; i++) sigaction(faults[i], &before[i], NULL);
}

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

/* What is told, piece by piece: of all functions a handler may call write. */
static void say(const char *text)
{
    size_t left = strlen(text);
    for (ssize_t n; left && (n = write(STDERR_FILENO, text, left)) > 0; left -= (size_t)n)
        text += n;
}

/* " at FILE:LINE" of what is evaluated; of code of the host nobody keeps the line. */
static void say_place(void)
{
    const CsSite *at = rt.at;
    char digits[12], *p = digits + sizeof digits - 1;
    if (!at || !at->line) return;
    *p = '\0';
    for (int32_t line = at->line; line > 0; line /= 10) *--p = (char)('0' + line % 10);
    say(" at ");
    say(at->file);
    say(":");
    say(p);
}

static const char *fault_name(int number)
{
    switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception";
    case SIGILL: return "illegal instruction";
    default: return "abort";
    }
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    bool overflow = number == SIGSEGV && is_overflow(info, context);
    signal(number, SIG_DFL); /* should telling it fail as well */
    ranks_let_first();
    console_last();
    if (overflow || info->si_code != SI_USER) { /* a signal that another process sent is no fault */
        say(overflow ? "Unhandled StackOverflowException: functions call each other too deep"
                     : "internal error: ");
        if (!overflow) say(fault_name(number));
        say_place();
        say("\n");
    }
    if (overflow) _exit(1);
    restore(); /* it happens again when this returns, without this handler */
    raise(number);
}

void stack_guard(void)
{
    set_limit();
    if (spare.ss_sp || !(spare.ss_sp = malloc(SPARE))) return;
    spare.ss_size = SPARE;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&spare, &spare_before) != 0) return;
    for (int i = 0; i < FAULTS; i++) sigaction(faults[i], &action, &before[i]);
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
    restore();
    sigaltstack(&spare_before, NULL);
    free(spare.ss_sp);
    spare = (stack_t){0};
}
