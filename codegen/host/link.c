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

enum { LEFTOVERS = 4 };

typedef struct Work {
    Text folder, object, program, part; /* part: what a step makes for the next */
    Leftover leftovers[LEFTOVERS];      /* the folder, then the files in it */
    bool verbose;
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
    text_printf(&w->part, "%s/part.o", w->folder.data);
    const char *paths[] = {w->folder.data, w->object.data, w->program.data, w->part.data};
    for (int i = 0; made && i < LEFTOVERS; i++) {
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
    for (int i = LEFTOVERS; i-- > 0;)
        if (w->leftovers[i].path) process_take_leftover(&w->leftovers[i]);
    text_free(&w->folder);
    text_free(&w->object);
    text_free(&w->program);
    text_free(&w->part);
}

static bool write_file(const Work *w, const char *path, const Text *bytes)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(bytes->data, 1, bytes->len, f) == bytes->len;
    int err = errno;
    if (f && fclose(f) != 0 && good) {
        good = false;
        err = errno;
    }
    return good || fail(w, "cannot write '%s': %s", path, strerror(err));
}

static bool write_object(Work *w, HostModule *m)
{
    Text object = {0};
    host_print_object(&object, m);
    bool good = write_file(w, w->object.data, &object);
    text_free(&object);
    return good;
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

/* False: it failed. */
static bool run_tool(const Work *w, char *const argv[])
{
    for (int i = 0; w->verbose && argv[i]; i++) fprintf(stderr, i ? " %s" : "%s", argv[i]);
    if (w->verbose) fputc('\n', stderr);
    int status = 0, err = run_there(w, argv, &status);
    if (err) return fail(w, "cannot run '%s': %s", argv[0], strerror(err));
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || fail(w, "linking failed");
}

static char *compiler(void)
{
    const char *cc = getenv("CC");
    return (char *)(cc && *cc ? cc : "cc");
}

static bool link_program(const Work *w, const char *runtime)
{
    char *argv[] = {compiler(), "-o", w->program.data, w->object.data, (char *)runtime,
                    "-Wl,--gc-sections", "-lOpenCL", "-lm",
                    /* a sanitizer build's runtime library needs its sanitizer */
                    getenv("CSC_SANITIZE") ? "-fsanitize=address,undefined" : NULL, NULL};
    return run_tool(w, argv);
}

/* Nobody sees the runtime in it: a process may hold several libraries, each with its own. */
static bool link_shared(const Work *w, const char *runtime, const char *name)
{
    Text script = {0}, option = {0};
    text_printf(&script, "{ global: %s_*; local: *; };\n", name);
    text_printf(&option, "-Wl,--version-script=%s", w->part.data);
    char *argv[] = {compiler(),
                    "-shared",
                    "-o",
                    w->program.data,
                    w->object.data,
                    (char *)runtime,
                    option.data,
                    "-Wl,--gc-sections",
                    "-lOpenCL",
                    "-lm",
                    getenv("CSC_SANITIZE") ? "-fsanitize=address,undefined" : NULL,
                    NULL};
    bool ok = write_file(w, w->part.data, &script) && run_tool(w, argv);
    text_free(&script);
    text_free(&option);
    return ok;
}

/* A session's process: all of the runtime, for what it loads. */
static bool link_process(const Work *w, const char *runtime)
{
    char *argv[] = {compiler(),
                    "-rdynamic",
                    "-o",
                    w->program.data,
                    w->object.data,
                    (char *)runtime,
                    "-lOpenCL",
                    "-lm",
                    getenv("CSC_SANITIZE") ? "-fsanitize=address,undefined" : NULL,
                    NULL};
    return run_tool(w, argv);
}

/* What entries share goes by its name; the rest is an entry's own. */
static bool link_entry(const Work *w)
{
    Text script = {0}, option = {0};
    text_add(&script, "{ global: cs_entry; class.*; static.*; made.*; session.*; local: *; };\n");
    text_printf(&option, "-Wl,--version-script=%s", w->part.data);
    char *argv[] = {compiler(),      "-shared",      "-nostdlib", "-o",
                    w->program.data, w->object.data, option.data, NULL};
    bool ok = write_file(w, w->part.data, &script) && run_tool(w, argv);
    text_free(&script);
    text_free(&option);
    return ok;
}

static bool make_archive(const Work *w, const char *runtime, const char *name)
{
    Text keep = {0};
    text_printf(&keep, "--keep-global-symbol=%s_*", name);
    char *join[] = {compiler(),   "-r",           "-nostdlib",     "-o",
                    w->part.data, w->object.data, (char *)runtime, NULL};
    char *hide[] = {"objcopy", "--wildcard", keep.data, w->part.data, NULL};
    char *pack[] = {"ar", "qcsD", w->program.data, w->part.data, NULL};
    bool ok = run_tool(w, join) && run_tool(w, hide) && run_tool(w, pack);
    text_free(&keep);
    return ok;
}

int host_link(HostModule *m, HostLinked kind, const char *runtime, bool verbose, char **error)
{
    Work w = {.verbose = verbose, .error = error};
    int program = -1;
    const char *name = host_library_name(m);
    bool ok = work_begin(&w) && write_object(&w, m);
    switch (kind) {
    case HOST_LINK_PROGRAM: ok = ok && link_program(&w, runtime); break;
    case HOST_LINK_SHARED: ok = ok && link_shared(&w, runtime, name); break;
    case HOST_LINK_ARCHIVE: ok = ok && make_archive(&w, runtime, name); break;
    case HOST_LINK_PROCESS: ok = ok && link_process(&w, runtime); break;
    case HOST_LINK_ENTRY: ok = ok && link_entry(&w); break;
    }
    if (ok) {
        program = open(w.program.data, O_RDONLY | O_CLOEXEC);
        if (program < 0) fail(&w, "cannot read '%s': %s", w.program.data, strerror(errno));
    }
    work_end(&w);
    return program;
}
