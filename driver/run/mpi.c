/* csc mpi: the library between programs and an MPI (codegen/abi/shim.h) where none came with csc. That MPI's mpicc compiles
 * it into the user's folder of caches, where programs look for it, too (runtime/ranks/launcher.c). */
#include "mpi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/system/cache.h"
#include "../../base/system/output.h"
#include "../../base/system/process.h"
#include "../../codegen/abi/shim.h"
#include "../message.h"
#include "../write.h"
#include "child.h"

const char *mpi_family(int k)
{
    static const char *const families[] = {RANKS_SHIM_FAMILIES};
    return k < (int)(sizeof families / sizeof *families) ? families[k] : NULL;
}

bool mpi_find(Text *path, const char *family)
{
    struct stat st;
    Text name = {0};
    text_printf(&name, "mpi/%s.so", family);
    bool found = write_shipped(path, name.data);
    if (!found) {
        text_free(path);
        *path = cache_path();
        if (path->len) text_printf(path, "/%s", name.data);
        found = path->len && stat(path->data, &st) == 0 && process_trusts(&st);
    }
    text_free(&name);
    return found;
}

/* The source in one: its header stands where it is included. */
static bool write_source(int fd)
{
    static const char include[] = "#include \"shim.h\"\n";
    const char *at = strstr(mpi_source, include);
    if (fd < 0 || !at) return false;
    return output_to(fd, mpi_source, (size_t)(at - mpi_source)) == 0 &&
           output_to(fd, mpi_header, strlen(mpi_header)) == 0 &&
           output_to(fd, at + strlen(include), strlen(at) - strlen(include)) == 0;
}

static bool compile(const char *mpicc, const char *to)
{
    char source[32];
    int fd = child_file(source), status = 0;
    char *argv[] = {(char *)(uintptr_t)mpicc,
                    "-std=c17",
                    "-D_GNU_SOURCE",
                    "-O2",
                    "-shared",
                    "-fPIC",
                    "-o",
                    (char *)(uintptr_t)to,
                    "-x",
                    "c",
                    source,
                    NULL};
    bool wrote = write_source(fd);
    int err = wrote ? process_run(argv, &status) : 0;
    if (fd >= 0) close(fd);
    if (!wrote)
        complain("the library's source cannot be handed on: %s", strerror(errno));
    else if (err)
        complain("cannot run '%s': %s", mpicc, strerror(err));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        complain("'%s' has not compiled the library: is it an MPI's mpicc?", mpicc);
    return wrote && !err && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whose it is; it stays open. */
static const char *family_of(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const RanksShim *shim = library ? dlsym(library, RANKS_SHIM_NAME) : NULL;
    if (!shim)
        complain("the library cannot be opened: %s", library ? "it has no table" : dlerror());
    return shim ? shim->family : NULL;
}

static bool make_in(const char *folder, const char *mpicc)
{
    Text made = {0}, name = {0};
    text_printf(&made, "%s/%ld.so", folder, (long)getpid());
    const char *family = compile(mpicc, made.data) ? family_of(made.data) : NULL;
    text_printf(&name, "%s/%s.so", folder, family ? family : "");
    bool good = family && chmod(made.data, 0644) == 0 && rename(made.data, name.data) == 0;
    if (family && !good) complain("cannot write '%s': %s", name.data, strerror(errno));
    if (good) printf("%s: programs that %s's launcher starts use it\n", name.data, family);
    if (!good) unlink(made.data);
    text_free(&made);
    text_free(&name);
    return good;
}

int mpi_make(const Options *o)
{
    if (o->files.len != 1) {
        complain("csc mpi takes one mpicc: mpicc, mpicc.openmpi, /opt/mpi/bin/mpicc");
        return 1;
    }
    Text folder = cache_path();
    int all = folder.len ? cache_folder(folder.data, true) : -1;
    if (folder.len) text_add(&folder, "/mpi");
    int fd = all >= 0 ? cache_folder(folder.data, true) : -1;
    if (fd < 0)
        complain("there is no folder of caches that is yours alone: CS_CACHE_DIR names one");
    bool good = fd >= 0 && make_in(folder.data, o->input);
    if (all >= 0) close(all);
    if (fd >= 0) close(fd);
    text_free(&folder);
    return good ? 0 : 1;
}
