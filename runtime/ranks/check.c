/* Ranks that went different ways, and what is compared to see it early (ranks.h). */
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../library/console.h"
#include "ranks.h"
#include "transport.h"

enum { SAID = 512 };

static const char *const does[] = {[RANKS_EVALUATES] = "evaluates",
                                   [RANKS_ASKS] = "asks for what the environment has",
                                   [RANKS_READS] = "reads",
                                   [RANKS_WRITES] = "writes a file",
                                   [RANKS_RUNS] = "runs a program",
                                   [RANKS_LOOKS] = "reads a clock",
                                   [RANKS_HANDLES] = "has an exception",
                                   [RANKS_ENDS] = "ends"};

void ranks_note_bytes(const void *data, size_t bytes)
{
    rt.ranks.noted = XXH3_64bits_withSeed(data, bytes, rt.ranks.noted);
}

void ranks_apart(RanksDoing doing, const CsSite *site, int other)
{
    char said[2][SAID], room[64];
    const char *type, *message;
    char *own = said[rt.ranks.rank != 0];
    int n = snprintf(own, SAID, "%s", does[doing]);
    if (site)
        n += snprintf(own + n, SAID - (size_t)n, " at %s:%d:%d", site->file, site->line, site->col);
    if (cs_pending && n < SAID) {
        error_told(&type, &message, room);
        snprintf(own + n, SAID - (size_t)n, " (%s%s%s)", type, *message ? ": " : "", message);
    }
    rt.ranks.by->broadcast(0, said[0], SAID);
    rt.ranks.by->broadcast(other, said[1], SAID);
    console_flush();
    if (ranks_first() && strcmp(said[0], said[1]) == 0)
        fprintf(stderr, "ranks 0 and %d did different things before both %s\n", other, said[0]);
    else if (ranks_first())
        fprintf(stderr, "ranks went different ways: rank 0 %s, rank %d %s\n", said[0], other,
                said[1]);
    rt.ranks.by->give_up(1);
}
