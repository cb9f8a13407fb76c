/* The end of the stack (stack.h). The kernel reports it as SIGSEGV, at an address near the stack
 * pointer; the handler runs on a stack of its own, tells it and ends the program, for there is no
 * frame to return to. What was written to the console before is not lost. Any other SIGSEGV is left
 * to do what it would have done. */
#include "stack.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "console.h"

enum { SPARE = 64 << 10, NEAR = 1 << 20 };

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
    if (spare.ss_sp || !(spare.ss_sp = malloc(SPARE))) return;
    spare.ss_size = SPARE;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&spare, &spare_before) == 0) sigaction(SIGSEGV, &action, &before);
}

void stack_unguard(void)
{
    if (!spare.ss_sp) return;
    sigaction(SIGSEGV, &before, NULL);
    sigaltstack(&spare_before, NULL);
    free(spare.ss_sp);
    spare = (stack_t){0};
}
