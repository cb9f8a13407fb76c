/* Ranks that an MPI's launcher has started, on any machines, over the table of codegen/abi/shim.h. At the start all get what
 * the first was given: its arguments and variables. They compare their programs, and have as many units as the poorest.
 *
 * The launcher sees a rank die, and ends the others. Signals of its terminal come from it, to all. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../base/text.h"
#include "../pool.h"
#include "../state.h"
#include "launcher.h"
#include "ranks.h"
#include "transport.h"

/* What ranks show each other at the start. */
typedef struct Card {
    uint64_t program; /* of its file's bytes; 0: nobody knows */
    int32_t machine, units;
    cpu_set_t processors; /* on which it may run */
} Card;

static struct {
    const RanksShim *shim;
    ShimPlace at;
} mpi;

/* ---- the transport ----------------------------------------------------------------------------- */

static RankCombine *adds;

static void add(void *to, const void *other)
{
    adds(to, other);
}

static void combine(RankWord *word, RankCombine *with)
{
    adds = with;
    mpi.shim->combine(word, sizeof *word, add);
}

static void broadcast(int from, void *data, size_t bytes)
{
    mpi.shim->broadcast(from, data, bytes);
}

static void exchange(const RankBlock *blocks, int n)
{
    mpi.shim->exchange((const ShimBlock *)blocks, n);
}
_Static_assert(sizeof(ShimBlock) == sizeof(RankBlock) &&
                   offsetof(ShimBlock, bytes) == offsetof(RankBlock, bytes),
               "they are one");

static bool end(void)
{
    mpi.shim->end();
    if (mpi.at.rank > 0)
        exit(0); /* the exit code is the first one's: launchers end all after any other */
    return true;
}

static void leave(void)
{
}

static _Noreturn void give_up(int code)
{
    ranks_let_first();
    mpi.shim->give_up(code);
    abort();
}

/* ---- what the first was given ------------------------------------------------------------------ */

static _Noreturn void out_of_memory(void)
{
    fputs("out of memory\n", stderr);
    give_up(1);
}

/* The first one's texts, each with a NUL; the caller's. */
static char *told(const Text *own, uint64_t *bytes)
{
    *bytes = own->len;
    if (mpi.at.rank == 0 && own->failed) out_of_memory();
    broadcast(0, bytes, sizeof *bytes);
    char *all = malloc(*bytes + 1);
    if (!all) out_of_memory();
    if (mpi.at.rank == 0 && own->len) memcpy(all, own->data, own->len);
    broadcast(0, all, *bytes);
    all[*bytes] = '\0';
    return all;
}

static void tell_arguments(void)
{
    Text own = {0};
    uint64_t bytes;
    int n = 0;
    for (int i = 0; i < rt.argc; i++) text_addn(&own, rt.argv[i], strlen(rt.argv[i]) + 1);
    char *all = told(&own, &bytes);
    text_free(&own);
    if (mpi.at.rank == 0) {
        free(all);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) n += all[i] == '\0';
    char **argv = calloc((size_t)n + 1, sizeof *argv);
    if (!argv) out_of_memory();
    for (int i = 0; i < n; i++, all += strlen(all) + 1) argv[i] = all;
    rt.argc = n;
    rt.argv = argv;
}

/* Does a variable decide what a program does? Folders are each machine's own. */
static bool is_told(const char *variable)
{
    static const char *const own[] = {"CS_CACHE_DIR=", "CS_JIT=", "CS_MPI=", "CS_FAULT="};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(variable, own[i], strlen(own[i])) == 0) return false;
    return strncmp(variable, "CS_", 3) == 0 || strncmp(variable, "LC_", 3) == 0 ||
           strncmp(variable, "LANG=", 5) == 0 || strncmp(variable, "TZ=", 3) == 0;
}

static void forget_own_variables(void)
{
    for (char **e = environ; e && *e;) {
        char name[64];
        size_t n = strcspn(*e, "=");
        if (!is_told(*e) || n >= sizeof name) {
            e++;
            continue;
        }
        memcpy(name, *e, n);
        name[n] = '\0';
        unsetenv(name); /* the next one has its place */
    }
}

static void tell_variables(void)
{
    Text own = {0};
    uint64_t bytes;
    for (char **e = environ; e && *e; e++)
        if (is_told(*e)) text_addn(&own, *e, strlen(*e) + 1);
    char *all = told(&own, &bytes);
    text_free(&own);
    if (mpi.at.rank > 0) forget_own_variables();
    for (char *at = all; mpi.at.rank > 0 && at < all + bytes; at += strlen(at) + 1) putenv(at);
    if (mpi.at.rank == 0) free(all);
    setenv("CS_MPI", "none", 1); /* programs that this one runs are no ranks */
}

/* ---- what ranks are ---------------------------------------------------------------------------- */

static uint64_t hash_program(void)
{
    struct stat st;
    uint64_t hash = 0;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            hash = XXH3_64bits(bytes, (size_t)st.st_size) | 1;
            munmap(bytes, (size_t)st.st_size);
        }
    }
    close(fd);
    return hash;
}

static const Card *show(Card *own)
{
    Card *all = calloc((size_t)mpi.at.size, sizeof *all);
    if (!all) out_of_memory();
    mpi.shim->gather(own, sizeof *own, all);
    return all;
}

static void compare_programs(const Card *all)
{
    for (int i = 1; i < mpi.at.size; i++) {
        if (all[i].program == all[0].program || !all[i].program || !all[0].program) continue;
        if (mpi.at.rank == 0)
            fprintf(stderr,
                    "rank %d is another program than rank 0; let all machines have the same\n", i);
        give_up(1);
    }
}

/* Ranks that may run on the same processors share them; then all have as many units as the poorest, for
 * their number decides the last digits of sums. */
static void share_processors(const Card *all, Card *own)
{
    int sharing = 0, here = 0;
    for (int i = 0; i < mpi.at.size; i++) {
        cpu_set_t both;
        if (all[i].machine != own->machine) continue;
        CPU_AND(&both, &all[i].processors, &own->processors);
        sharing += CPU_COUNT(&both) > 0;
        here++;
    }
    for (int i = 0; i < mpi.at.size; i++) {
        int first = 0;
        while (all[first].machine != all[i].machine) first++;
        rt.ranks.machines += first == i;
    }
    rt.ranks.here = mpi.at.here;
    rt.ranks.together = here;
    rt.ranks.sharing = sharing < 1 ? 1 : sharing;
    own->units = pool_units();
    const Card *with_units = show(own);
    for (int i = 0; i < mpi.at.size; i++)
        if (with_units[i].units < rt.units) rt.units = with_units[i].units;
    free((void *)with_units);
}

/* ---- the beginning ----------------------------------------------------------------------------- */

/* MPIs take signals of faults, whose handlers are the runtime's. */
static void begin(void)
{
    struct sigaction before[NSIG];
    bool known[NSIG];
    for (int i = 1; i < NSIG; i++) known[i] = sigaction(i, NULL, &before[i]) == 0;
    mpi.shim->begin(&mpi.at);
    for (int i = 1; i < NSIG; i++)
        if (known[i] && i != SIGKILL && i != SIGSTOP) sigaction(i, &before[i], NULL);
}

const Transport *mpi_start(int *rank, int *size)
{
    static const Transport functions = {combine, broadcast, exchange, end, leave, give_up};
    mpi.shim = launcher_shim();
    if (!mpi.shim) return NULL;
    begin();
    rt.ranks.size = *size = mpi.at.size; /* which the number of units asks for */
    rt.ranks.rank = *rank = mpi.at.rank;
    Card own = {.program = hash_program(), .machine = mpi.at.machine};
    CPU_ZERO(&own.processors);
    sched_getaffinity(0, sizeof own.processors, &own.processors);
    const Card *all = show(&own);
    compare_programs(all);
    share_processors(all, &own);
    free((void *)all);
    tell_arguments();
    tell_variables();
    return &functions;
}
