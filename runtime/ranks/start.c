/* How many ranks there are, and their end (ranks.h). */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../codegen/kernel/divide/divide.h"
#include "ranks.h"
#include "transport.h"

/* The number of CS_PLACES; 1: unset. */
static int wanted_places(int (*places)(const char *wish))
{
    const char *given = getenv("CS_PLACES");
    if (!given || !*given) return 1;
    int n = places(given);
    if (n >= 1 && n <= RANKS_MOST) return n;
    fprintf(
        stderr,
        "CS_PLACES=%s is no number of devices; set it to 1 to %d, or to all or gpu, or unset it\n",
        given, RANKS_MOST);
    exit(1);
}

/* The number of CS_RANKS; without it that of CS_PLACES. */
static int wanted(int (*places)(const char *wish))
{
    const char *given = getenv("CS_RANKS");
    char *end;
    if (!given || !*given) return wanted_places(places);
    long n = strtol(given, &end, 10);
    if (*given >= '0' && *given <= '9' && !*end && n >= 1 && n <= RANKS_MOST) return (int)n;
    fprintf(stderr, "CS_RANKS=%s is no number of ranks; set it to 1 to %d, or unset it\n", given,
            RANKS_MOST);
    exit(1);
}

/* A rank that is not the first neither reads nor writes. */
static void mute(void)
{
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (none < 0) return;
    dup2(none, STDIN_FILENO);
    dup2(none, STDOUT_FILENO);
    if (none > STDERR_FILENO) close(none);
}

/* A number of a variable from `least` on; `otherwise`: it is not set. */
static double number_of(const char *variable, double least, double otherwise)
{
    const char *given = getenv(variable);
    char *end;
    if (!given || !*given) return otherwise;
    double n = strtod(given, &end);
    if (!*end && n >= least && n <= 1e18) return n;
    fprintf(stderr, "%s=%s is no number from %.0f on; set it to one, or unset it\n", variable,
            given, least);
    exit(1);
}

/* Native plans are bound for the processors of all ranks, as those of one process are: sums of reals have the same parts. */
static int units_of_all(int size)
{
    cpu_set_t set;
    if (rt.units) return rt.units * size; /* MPI's have said how many each has */
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n;
}

static void read_variables(void)
{
    rt.ranks.least = number_of("CS_RANKS_LEAST", 0, DIVIDE_LEAST);
    rt.ranks.blocks = (int)number_of("CS_BLOCKS", 0, 0);
    rt.ranks.measured = rt_profiling();
}

void ranks_start(int (*places)(const char *wish))
{
    int size = 0;
    read_variables();
    rt.ranks.by = mpi_start(&rt.ranks.rank, &size);
    if (!rt.ranks.by) {
        size = wanted(places);
        if (size == 1) return;
        rt.ranks.by = here_start(size, &rt.ranks.rank);
        rt.ranks.here = rt.ranks.rank;
        rt.ranks.together = rt.ranks.sharing = size;
    }
    const char *check = getenv("CS_RANKS_CHECK");
    rt.ranks.size = size;
    rt.ranks.blocks = 0;
    rt.ranks.units = units_of_all(size);
    rt.ranks.check = check && strcmp(check, "1") == 0;
    if (!ranks_first()) mute();
    mem_fault_rank(rt.ranks.rank);
}

void ranks_let_first(void)
{
    static const struct timespec a_while = {.tv_nsec = 200000000};
    if (!ranks_first()) nanosleep(&a_while, NULL);
}

void ranks_finish(void)
{
    ranks_share_pending();
    if (!rt.ranks.size || !ranks_step(RANKS_ENDS, NULL, NULL, 0)) return;
    rt.ranks.depth = 0;
    ranks_show_accounts();
}
