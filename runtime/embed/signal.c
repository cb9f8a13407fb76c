/* ^C in a call of the main thread ends it (interrupt.h), if the context heeds it; then comes who had
 * SIGINT before. Where that is ignored, or ends the process, nothing changes. */
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../interrupt.h"
#include "embed.h"

static struct sigaction before;
static bool heeding;

static void on_interrupt(int number, siginfo_t *info, void *context)
{
    interrupt_set();
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

static bool is_callers(const struct sigaction *a)
{
    return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

void embed_heed(void)
{
    heeding = rt.stops && syscall(SYS_gettid) == getpid() &&
              sigaction(SIGINT, NULL, &before) == 0 && is_callers(&before);
    if (!heeding) return;
    struct sigaction ours = {.sa_sigaction = on_interrupt,
                             .sa_flags = before.sa_flags | SA_SIGINFO,
                             .sa_mask = before.sa_mask};
    heeding = sigaction(SIGINT, &ours, NULL) == 0;
}

void embed_unheed(void)
{
    if (heeding) sigaction(SIGINT, &before, NULL);
    heeding = false;
}

void cs_embed_heed_interrupts(cs_context *context, int32_t heeds)
{
    if (!context || embed_is_refused()) return;
    embed_enter(context);
    rt.stops = heeds != 0;
    cs_embed_free_error(embed_leave());
}
