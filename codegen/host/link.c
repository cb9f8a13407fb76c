/* From a module to a program, by the C compiler as the linker. It works in a folder of its own,
 * with names of ours, so that no name of the user's is ever taken for an option or a file of
 * options, and runs without a shell. The folder goes in any case, also if a signal ends the
 * process. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/mem.h"
#include "../../base/process.h"
#include "host.h"

typedef struct Work {
    Text folder, object, program;
    Leftover leftovers[3]; /* the folder, then the files in it */
    char **error;
} Work;

static bool fail(const Work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const Work *w, const char *fmt, ...)
{
    Text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    mem_free(*w->error);
    *w->error = text_take(&t);
    return false;
}

static bool work_begin(Work *w)
{
    const char *dir = getenv("TMPDIR");
    if (!dir || !*dir) dir = "/tmp";
    text_printf(&w->folder, "%s%s/cscXXXXXX", *dir == '/' ? "" : "./", dir);
    sigset_t before = process_hold();
    bool made = mkdtemp(w->folder.data) != NULL;
    int err = errno;
    text_printf(&w->object, "%s/object.o", w->folder.data);
    text_printf(&w->program, "%s/program", w->folder.data);
    const char *paths[] = {w->folder.data, w->object.data, w->program.data};
    for (int i = 0; made && i < 3; i++) {
        w->leftovers[i].path = paths[i];
        process_add_leftover(&w->leftovers[i]);
    }
    process_release(before);
    return made || fail(w, "cannot make a temporary folder in '%s': %s; TMPDIR names another", dir,
                        strerror(err));
}

static void work_end(Work *w)
{
    DIR *folder = w->leftovers[0].path ? opendir(w->folder.data) : NULL;
    for (struct dirent *e; folder && (e = readdir(folder));) /* cc too may have left something */
        unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (w->leftovers[0].path) rmdir(w->folder.data);
    for (int i = 3; i-- > 0;)
        if (w->leftovers[i].path) process_take_leftover(&w->leftovers[i]);
    text_free(&w->folder);
    text_free(&w->object);
    text_free(&w->program);
}

static bool write_object(Work *w, HostModule *m)
{
    Text object = {0};
    host_print_object(&object, m);
    FILE *f = fopen(w->object.data, "wb");
    bool good = f && fwrite(object.data, 1, object.len, f) == object.len;
    int err = errno;
    if (f && fclose(f) != 0 && good) {
        good = false;
        err = errno;
    }
    text_free(&object);
    return good || fail(w, "cannot write '%s': %s", w->object.data, strerror(err));
}

/* cc's own temporaries too belong into the folder. */
static int run_there(const Work *w, char *const argv[], int *status)
{
    const char *dir = getenv("TMPDIR");
    char *before = dir ? strdup(dir) : NULL;
    setenv("TMPDIR", w->folder.data, 1);
    int err = process_run(argv, status);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    return err;
}

static bool run_linker(Work *w, const char *library, bool verbose)
{
    const char *cc = getenv("CC");
    char *argv[] = {(char *)(cc && *cc ? cc : "cc"), "-o", w->program.data, w->object.data,
                    (char *)library, "-Wl,--gc-sections", "-lOpenCL", "-lm",
                    /* a sanitizer build's runtime library needs its sanitizer */
                    getenv("CSC_SANITIZE") ? "-fsanitize=address,undefined" : NULL, NULL};
    for (int i = 0; verbose && argv[i]; i++) fprintf(stderr, i ? " %s" : "%s", argv[i]);
    if (verbose) fputc('\n', stderr);
    int status = 0, err = run_there(w, argv, &status);
    if (err) return fail(w, "cannot run '%s': %s", argv[0], strerror(err));
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || fail(w, "linking failed");
}

int host_link(HostModule *m, const char *library, bool verbose, char **error)
{
    Work w = {.error = error};
    int program = -1;
    if (work_begin(&w) && write_object(&w, m) && run_linker(&w, library, verbose)) {
        program = open(w.program.data, O_RDONLY | O_CLOEXEC);
        if (program < 0) fail(&w, "cannot read '%s': %s", w.program.data, strerror(errno));
    }
    work_end(&w);
    return program;
}
