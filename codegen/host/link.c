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
#include "../../base/system/process.h"
#include "impl.h"

typedef struct Work {
    Text folder, program, part; /* part: what a step makes for the next */
    size_t nobjects;            /* the module's, then those of native kernels */
    Arena *arena;
    const char **objects;
    Leftover *leftovers; /* the folder, then the files in it */
    size_t nleftovers;
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

static void add_leftover(Work *w, const char *path)
{
    Leftover *l = &w->leftovers[w->nleftovers++];
    l->path = path;
    process_add_leftover(l);
}

static bool work_begin(Work *w)
{
    const char *dir = getenv("TMPDIR");
    if (!dir || !*dir) dir = "/tmp";
    text_printf(&w->folder, "%s%s/cscXXXXXX", *dir == '/' ? "" : "./", dir);
    w->arena = arena_new();
    w->objects = arena_array(w->arena, const char *, w->nobjects);
    w->leftovers = arena_array(w->arena, Leftover, w->nobjects + 3);
    sigset_t before = process_hold();
    bool made = mkdtemp(w->folder.data) != NULL;
    int err = errno;
    text_printf(&w->program, "%s/program", w->folder.data);
    text_printf(&w->part, "%s/part.o", w->folder.data);
    if (made) {
        add_leftover(w, w->folder.data);
        add_leftover(w, w->program.data);
        add_leftover(w, w->part.data);
    }
    for (size_t i = 0; made && i < w->nobjects; i++) {
        w->objects[i] = arena_printf(w->arena, "%s/object%zu.o", w->folder.data, i);
        add_leftover(w, w->objects[i]);
    }
    process_release(before);
    return made || fail(w, "cannot make a temporary folder in '%s': %s; TMPDIR names another", dir,
                        strerror(err));
}

static void work_end(Work *w)
{
    DIR *folder = w->nleftovers ? opendir(w->folder.data) : NULL;
    for (struct dirent *e; folder && (e = readdir(folder));) /* cc too may have left something */
        unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (w->nleftovers) rmdir(w->folder.data);
    while (w->nleftovers > 0) process_take_leftover(&w->leftovers[--w->nleftovers]);
    arena_free(w->arena);
    text_free(&w->folder);
    text_free(&w->program);
    text_free(&w->part);
}

static bool write_file(const Work *w, const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(bytes, 1, size, f) == size;
    int err = errno;
    if (f && fclose(f) != 0 && good) {
        good = false;
        err = errno;
    }
    return good || fail(w, "cannot write '%s': %s", path, strerror(err));
}

static bool write_objects(Work *w, HostModule *m)
{
    Text object = {0};
    host_print_object(&object, m);
    bool good = write_file(w, w->objects[0], object.data, object.len);
    text_free(&object);
    for (size_t i = 1; good && i < w->nobjects; i++) {
        size_t size;
        const char *bytes = objects_bytes(m->options->objects, i - 1, &size);
        good = write_file(w, w->objects[i], bytes, size);
    }
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

/* What is said to the linker: words before the objects, the objects, words behind them up to a NULL. */
typedef VEC(char *) Words;

static void add_words(Words *to, ...)
{
    va_list ap;
    va_start(ap, to);
    for (char *word; (word = va_arg(ap, char *));) vec_push(to, word);
    va_end(ap);
}

static char *compiler(void)
{
    const char *cc = getenv("CC");
    return (char *)(cc && *cc ? cc : "cc");
}

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    bool found = false;
    while (path && *path && !found) {
        size_t n = strcspn(path, ":");
        Text file = {0};
        text_addn(&file, path, n);
        text_printf(&file, "/%s", name);
        found = n && access(file.data, X_OK) == 0;
        text_free(&file);
        path += n + (path[n] == ':');
    }
    return found;
}

/* cc and its linker: gold, where there is one and the user has not said who links, takes half of the time
 * of ld, a fifth of a short program's. */
static void add_compiler(Words *to)
{
    add_words(to, compiler(), (char *)NULL);
    if (!getenv("CC") && !getenv("CSC_SANITIZE") && in_path("ld.gold"))
        add_words(to, "-fuse-ld=gold", (char *)NULL);
}

static bool run_words(const Work *w, Words *words)
{
    vec_push(words, (char *)NULL);
    bool ok = run_tool(w, words->data);
    vec_free(words);
    return ok;
}

/* -o FILE OBJECT.. */
static void add_objects(const Work *w, Words *to, const Text *out)
{
    add_words(to, "-o", out->data, (char *)NULL);
    for (size_t i = 0; i < w->nobjects; i++) vec_push(to, (char *)(uintptr_t)w->objects[i]);
}

/* A sanitizer build's runtime library needs its sanitizer. No build id, which nobody looks for: ld spends a
 * quarter of its time on that hash of the whole file. */
static void add_runtime(Words *to, const char *runtime)
{
    add_words(to, "-Wl,--build-id=none", runtime, "-lOpenCL", "-lm", (char *)NULL);
    if (getenv("CSC_SANITIZE")) add_words(to, "-fsanitize=address,undefined", (char *)NULL);
}

static bool link_program(const Work *w, const char *runtime)
{
    Words words = {0};
    add_compiler(&words);
    add_objects(w, &words, &w->program);
    add_words(&words, "-Wl,--gc-sections", (char *)NULL);
    add_runtime(&words, runtime);
    return run_words(w, &words);
}

/* Nobody sees the runtime in it: a process may hold several libraries, each with its own. The same library each
 * time: gold's symbols come in any order. */
static bool link_library(const Work *w, const char *runtime, const char *name)
{
    Text script = {0}, option = {0};
    text_printf(&script, "{ global: %s_*; local: *; };\n", name);
    text_printf(&option, "-Wl,--version-script=%s", w->part.data);
    Words words = {0};
    add_words(&words, compiler(), "-shared", option.data, (char *)NULL);
    add_objects(w, &words, &w->program);
    add_words(&words, "-Wl,--gc-sections", (char *)NULL);
    add_runtime(&words, runtime);
    bool ok = write_file(w, w->part.data, script.data, script.len) && run_words(w, &words);
    text_free(&script);
    text_free(&option);
    return ok;
}

/* A session's process: all of the runtime, for what it loads. */
static bool link_process(const Work *w, const char *runtime)
{
    Words words = {0};
    add_compiler(&words);
    add_words(&words, "-rdynamic", (char *)NULL);
    add_objects(w, &words, &w->program);
    add_runtime(&words, runtime);
    return run_words(w, &words);
}

/* What entries share goes by its name; the rest is an entry's own. Nothing but the objects is linked, and somebody waits:
 * ld alone takes 4 ms, behind cc and by gold 16. Conversions of halves are of gcc's library. */
static bool link_entry(const Work *w)
{
    static const char script[] =
        "{ global: cs_entry; class.*; static.*; made.*; session.*; local: *; };\n";
    bool direct = !getenv("CC") && in_path("ld");
    Text option = {0};
    text_printf(&option, "%s--version-script=%s", direct ? "" : "-Wl,", w->part.data);
    Words words = {0};
    if (direct)
        add_words(&words, "ld", (char *)NULL);
    else
        add_words(&words, compiler(), "-nostdlib", (char *)NULL);
    add_words(&words, "-shared", option.data, (char *)NULL);
    add_objects(w, &words, &w->program);
    if (direct)
        add_words(&words, "--as-needed", "-l:libgcc_s.so.1", (char *)NULL);
    else
        add_words(&words, "-lgcc", (char *)NULL);
    bool ok = write_file(w, w->part.data, script, sizeof script - 1) && run_words(w, &words);
    text_free(&option);
    return ok;
}

static bool make_archive(const Work *w, const char *runtime, const char *name)
{
    Text keep = {0};
    text_printf(&keep, "--keep-global-symbol=%s_*", name);
    Words join = {0};
    add_words(&join, compiler(), "-r", "-nostdlib", (char *)NULL);
    add_objects(w, &join, &w->part);
    add_words(&join, runtime, (char *)NULL);
    char *hide[] = {"objcopy", "--wildcard", keep.data, w->part.data, NULL};
    char *pack[] = {"ar", "qcsD", w->program.data, w->part.data, NULL};
    bool ok = run_words(w, &join) && run_tool(w, hide) && run_tool(w, pack);
    text_free(&keep);
    return ok;
}

int host_link(HostModule *m, HostLinked kind, const char *runtime, bool verbose, char **error)
{
    const Objects *kernels = m->options->objects;
    Work w = {
        .nobjects = 1 + (kernels ? objects_count(kernels) : 0), .verbose = verbose, .error = error};
    int program = -1;
    const char *name = host_library_name(m);
    bool ok = work_begin(&w) && write_objects(&w, m);
    switch (kind) {
    case HOST_LINK_PROGRAM: ok = ok && link_program(&w, runtime); break;
    case HOST_LINK_SHARED: ok = ok && link_library(&w, runtime, name); break;
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
