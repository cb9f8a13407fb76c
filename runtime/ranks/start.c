/* How many ranks there are, and their end (ranks.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"
#include "transport.h"

/* The number of CS_RANKS; 1: unset. */
static int wanted(void)
{
    const char *given = getenv("CS_RANKS");
    char *end;
    if (!given || !*given) return 1;
    long n = strtol(given, &end, 10);
    if (*given >= '0' && *given <= '9' && !*end && n >= 1 && n <= RANKS_MOST) return (int)n;
    fprintf(stderr, "CS_RANKS=%s is no number of ranks; set it to 1 to %d, or unset it\n", given,
            RANKS_MOST);
    exit(1);
}

void ranks_start(void)
{
    int size = wanted();
    if (size == 1) return;
    const char *check = getenv("CS_RANKS_CHECK");
    rt.ranks.by = here_start(size, &rt.ranks.rank);
    rt.ranks.size = size;
    rt.ranks.check = check && strcmp(check, "1") == 0;
    mem_fault_rank(rt.ranks.rank);
}

void ranks_finish(void)
{
    ranks_share_pending();
    if (rt.ranks.size && ranks_step(RANKS_ENDS, NULL, NULL, 0)) rt.ranks.depth = 0;
}
