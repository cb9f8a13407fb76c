/* Has an MPI's launcher started this process, and which library (codegen/abi/shim.h) is for it? That one lies beside csc, where
 * make puts it, or in the folder of caches. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/system/cache.h"
#include "../../base/system/process.h"
#include "../../base/text.h"
#include "../state.h"
#include "launcher.h"

static const char *const families[] = {RANKS_SHIM_FAMILIES};
enum { FAMILIES = sizeof families / sizeof *families };

/* What launchers set. family NULL: several MPIs can be started by it. */
static const struct Launcher {
    const char *size, *rank, *family, *name;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi", "Open MPI's mpirun"},
    {"PMI_SIZE", "PMI_RANK", "mpich", "MPICH's mpirun"},
    {"PMI_FD", "PMI_RANK", "mpich", "MPICH's mpirun"},
    {"PMIX_RANK", "PMIX_RANK", NULL, "a launcher with PMIx"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", NULL, "srun"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static const struct Launcher *launcher(void)
{
    for (int i = 0; i < LAUNCHERS; i++) {
        const char *size = getenv(launchers[i].size);
        if (!size || !getenv(launchers[i].rank)) continue;
        bool counts = strstr(launchers[i].size, "SIZE") || strstr(launchers[i].size, "TASKS");
        return counts && strcmp(size, "1") == 0 ? NULL : &launchers[i];
    }
    return NULL;
}

/* Its text is one rank's: the others say nothing. */
static _Noreturn void refuse(const struct Launcher *by, const char *what, const char *advice)
{
    const char *rank = by ? getenv(by->rank) : NULL;
    if (!rank || strcmp(rank, "0") == 0)
        fprintf(stderr,
                "%s has started this program: %s; %s, or set CS_MPI=none for one process each\n",
                by ? by->name : "CS_MPI", what, advice);
    exit(1);
}

static bool is_shim(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && process_trusts(&st);
}

static bool find(Text *path, const char *family)
{
    const char *csc = rt.program ? rt.program->compiler : NULL,
               *slash = csc ? strrchr(csc, '/') : NULL;
    static const char *const places[] = {"build", "../lib/csc"};
    for (int i = 0; slash && i < 2; i++) {
        text_free(path);
        text_printf(path, "%.*s/%s/mpi/%s.so", (int)(slash - csc), csc, places[i], family);
        if (is_shim(path->data)) return true;
    }
    text_free(path);
    *path = cache_path();
    if (path->len) text_printf(path, "/mpi/%s.so", family);
    return path->len && is_shim(path->data);
}

/* The only one that is there; which are there, or none, is in `said`. */
static bool find_only(Text *path, Text *said)
{
    const char *only = NULL;
    int n = 0;
    for (int i = 0; i < FAMILIES; i++)
        if (find(path, families[i])) {
            text_printf(said, "%s%s", n++ ? " and " : "", families[i]);
            only = families[i];
        }
    return n == 1 && find(path, only);
}

static const RanksShim *opened(const struct Launcher *by, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* whose plugins look up its names */
    Text what = {0};
    if (!library) {
        text_printf(&what, "%s", dlerror());
        refuse(by, what.data, "install that MPI's libraries");
    }
    const RanksShim *shim = dlsym(library, RANKS_SHIM_NAME);
    if (shim) return shim;
    text_printf(&what, "%s is of another version of csc", path);
    refuse(by, what.data, "run make anew where csc was built, or csc mpi");
}

/* Of one that several MPIs can be started by. */
static void find_any(const struct Launcher *by, Text *path)
{
    Text said = {0};
    bool found = find_only(path, &said);
    if (!found && said.len) {
        text_printf(&said, " are there");
        refuse(by, said.data, "set CS_MPI to one of them");
    }
    if (!found) refuse(by, "csc knows no MPI", "install its mpicc and run csc mpi mpicc");
    text_free(&said);
}

const RanksShim *launcher_shim(void)
{
    const char *wish = getenv("CS_MPI");
    const struct Launcher *by = launcher();
    if (wish && strcmp(wish, "none") == 0) return NULL;
    if (!by || getauxval(AT_SECURE)) return NULL;
    Text path = {0};
    if (wish && strchr(wish, '/')) {
        text_add(&path, wish);
        if (!is_shim(wish))
            refuse(by, "CS_MPI names no library", "name one of build/mpi or lib/csc/mpi");
    } else if ((wish && *wish) || by->family) {
        const char *family = wish && *wish ? wish : by->family;
        Text what = {0}, advice = {0};
        text_printf(&what, "there is no library %s.so of csc's", family);
        text_printf(&advice, "install mpicc.%s and run csc mpi mpicc.%s", family, family);
        if (!find(&path, family)) refuse(by, what.data, advice.data);
        text_free(&what);
        text_free(&advice);
    } else {
        find_any(by, &path);
    }
    const RanksShim *shim = opened(by, path.data);
    text_free(&path);
    return shim;
}
