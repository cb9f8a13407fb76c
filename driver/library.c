/* Libraries: of `csc --lib vectors.cs$` libvectors.so and libvectors.h, whose functions begin with
 * vectors_; with -o libv.a an archive of that name and libv.h; of `csc --python vectors.cs$`
 * vectors.py and libvectors.so, which lie in one folder, or with -o vectors-1.0-py3-none-PLATFORM.whl a
 * wheel that has them. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "../base/arena.h"
#include "library.h"
#include "message.h"
#include "run/child.h"
#include "wheel.h"
#include "write.h"

struct Library {
    const Options *options;
    const char *name;
    const char *path, *text; /* the library; its header or module */
    HostLinked kind;
    const WheelName *wheel; /* in which both are: path and text are that; NULL: none */
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A name in C. */
static const char *identifier(Arena *a, const char *text, size_t n)
{
    char *name =
        arena_printf(a, "%s%.*s", n && isdigit((unsigned char)*text) ? "_" : "", (int)n, text);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return *name ? name : "library";
}

static Library *new_wheel(Arena *a, const Options *o, const char *file)
{
    Library *l = arena_new_of(a, Library);
    const WheelName *w = wheel_name(a, file);
    if (!w) return NULL;
    const char *name = identifier(a, w->name, strlen(w->name));
    *l = (Library){o, name, o->output, o->output, HOST_LINK_SHARED, w};
    return l;
}

Library *library_new(Arena *a, const Options *o)
{
    Library *l = arena_new_of(a, Library);
    bool given = o->output && strcmp(o->output, "-") != 0, python = o->python;
    const char *usual = write_default(a, o->input, ""),
               *path = given    ? o->output
                       : python ? arena_printf(a, "%s.py", usual)
                                : arena_printf(a, "lib%s.so", usual);
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *dot = strrchr(file, '.');
    if (python && ends_with(file, ".whl")) return new_wheel(a, o, file);
    int folder = (int)(file - path),
        stem = dot && dot != file ? (int)(dot - file) : (int)strlen(file);
    int skip = !python && strncmp(file, "lib", 3) == 0 && stem > 3 ? 3 : 0;
    l->options = o;
    l->name = identifier(a, file + skip, (size_t)(stem - skip));
    l->kind = !python && ends_with(file, ".a") ? HOST_LINK_ARCHIVE : HOST_LINK_SHARED;
    l->path = python ? arena_printf(a, "%.*slib%.*s.so", folder, path, stem, file) : path;
    l->text = python ? path : arena_printf(a, "%.*s%.*s.h", folder, path, stem, file);
    return l;
}

const char *library_name(const Library *l)
{
    return l->name;
}

const char *library_path(const Library *l)
{
    return l->path;
}

static bool is_input(const Sources *sources, const char *path)
{
    if (!sources_is_loaded(sources, path)) return false;
    complain("output file would overwrite input: '%s'; -o names another", path);
    return true;
}

static bool write_wheel(const Library *l, HostModule *m, int library)
{
    Text module = {0}, bytes = {0}, out = {0}, file = {0};
    text_printf(&file, "lib%s.so", l->name);
    host_print_python(&module, m, file.data);
    child_read(library, &bytes);
    wheel_make(&out, l->wheel, l->name, &module, file.data, &bytes);
    bool ok = write_bytes(l->path, out.data, out.len, 0666);
    Text *const all[] = {&module, &bytes, &out, &file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) text_free(all[i]);
    return ok;
}

bool library_write(const Library *l, HostModule *m, int nexports, const Sources *sources)
{
    Text text = {0};
    if (nexports == 0) {
        complain("'%s' has no functions that can be called from outside", l->options->input);
        return false;
    }
    if (is_input(sources, l->path) || is_input(sources, l->text)) return false;
    int library = write_linked(m, l->kind, l->options->verbose);
    if (library < 0) return false;
    if (l->wheel) {
        bool ok = write_wheel(l, m, library);
        close(library);
        return ok;
    }
    if (l->options->python)
        host_print_python(&text, m, strrchr(l->path, '/') ? strrchr(l->path, '/') + 1 : l->path);
    else
        host_print_header(&text, m);
    bool ok = write_program(library, l->path, l->kind == HOST_LINK_SHARED ? 0777 : 0666) &&
              write_bytes(l->text, text.data, text.len, 0666);
    close(library);
    text_free(&text);
    return ok;
}
