/* ^C of a session (interrupt.h). The word has the same address in every session, so that the driver's
 * cache of kernels serves them all. */
#include "interrupt.h"

#include <string.h>
#include <sys/mman.h>

#include "../codegen/abi/csrt.h"

#define WORD 0x200000000000
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static volatile int32_t *word; /* NULL: the address is taken */
static uint64_t limit;         /* cs_stack_limit as it is without */

void interrupt_begin(void)
{
    limit = cs_stack_limit;
    void *wanted = (void *)(uintptr_t)WORD;
    void *at = mmap(wanted, sizeof *word, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == wanted)
        word = at;
    else if (at != MAP_FAILED) /* a kernel that takes the address for a wish */
        munmap(at, sizeof *word);
}

void interrupt_set(void)
{
    *(volatile uint64_t *)&cs_stack_limit = UINT64_MAX;
    if (word) *word = 1;
}

void interrupt_clear(void)
{
    cs_stack_limit = limit;
    if (word) *word = 0;
}

bool interrupted(void)
{
    return *(volatile uint64_t *)&cs_stack_limit == UINT64_MAX;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* By lines, as codegen/kernel/ir/statement.c writes them: loops are skipped, those without an end left.
 * Those that are written out, and macros, are not touched. */
bool interrupt_text(Text *out, const char *text)
{
    bool hinted = false; /* the line before is for the loop that follows it */
    if (!word) return false;
    text_add(out, "#define CS_STOPPED (*(volatile __global const int *)" TEXT(
                      WORD) "UL)\n"
                            "#define CS_STOPS if (CS_STOPPED) ; else\n");
    while (*text) {
        size_t n = strcspn(text, "\n"), indent = strspn(text, " ");
        const char *line = text + indent;
        bool whole = n && text[n - 1] == '{' && !hinted;
        bool counted = whole && begins(line, "for (idx_t ");
        bool endless = whole && (begins(line, "for (;;)") || begins(line, "for (bool first"));
        if (counted) text_add(out, "CS_STOPS ");
        text_addn(out, text, n);
        if (endless) text_add(out, " if (CS_STOPPED) break;");
        hinted = begins(line, "#pragma unroll") || begins(line, "CS_RARE");
        text_add(out, "\n");
        text += n + (text[n] == '\n');
    }
    return !out->failed;
}
