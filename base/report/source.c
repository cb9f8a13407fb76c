/* Source texts. Line starts are found once, when a text is added, so a position is a binary search
 * and a walk along one line. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../arena.h"
#include "../text.h"
#include "../vec.h"

Loc loc_first(Loc loc, const char *name)
{
    return (Loc){loc.file, loc.begin, loc.begin + (uint32_t)strlen(name)};
}

Loc loc_last(Loc loc, const char *name)
{
    return (Loc){loc.file, loc.end - (uint32_t)strlen(name), loc.end};
}

typedef struct File {
    Source source;
    uint32_t *lines; /* byte offset of each line's first character */
    size_t nlines;
    struct stat identity; /* of a file that was loaded, else of no kind */
    bool named;           /* it was loaded by its path */
} File;

struct Sources {
    Arena *arena;
    VEC(File) files;
    const SourceGiven *given;
    size_t ngiven;
};

Sources *sources_new(void)
{
    Arena *arena = arena_new();
    Sources *s = arena_new_of(arena, Sources);
    s->arena = arena;
    return s;
}

void sources_free(Sources *s)
{
    if (!s) return;
    vec_free(&s->files);
    arena_free(s->arena);
}

int sources_add(Sources *s, const char *path, const char *text, size_t len)
{
    if (len >= UINT32_MAX) len = UINT32_MAX - 1; /* offsets are 32 bits; sources_load refuses */
    File f = {.source = {.path = arena_strndup(s->arena, path, strlen(path)),
                         .text = arena_strndup(s->arena, text, len),
                         .len = len},
              .nlines = 1};
    for (size_t i = 0; i < len; i++) f.nlines += text[i] == '\n';
    f.lines = arena_array(s->arena, uint32_t, f.nlines);
    size_t line = 1;
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n') f.lines[line++] = (uint32_t)(i + 1);
    vec_push(&s->files, f);
    return (int)s->files.len - 1;
}

int sources_add_library(Sources *s, const char *path, const char *text, size_t len)
{
    int index = sources_add(s, path, text, len);
    s->files.data[index].source.library = true;
    return index;
}

void sources_give(Sources *s, const SourceGiven *given, size_t n)
{
    s->given = given;
    s->ngiven = n;
}

/* The file's text as it was given; -1: it was not. */
static int load_given(Sources *s, const char *path)
{
    char *real = s->ngiven ? realpath(path, NULL) : NULL;
    int index = -1;
    for (size_t i = 0; real && index < 0 && i < s->ngiven; i++) {
        const SourceGiven *g = &s->given[i];
        if (strcmp(g->path, real) == 0) index = sources_add(s, path, g->text, g->len);
    }
    if (index >= 0) s->files.data[index].named = stat(path, &s->files.data[index].identity) == 0;
    free(real);
    return index;
}

FILE *source_open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fdopen(fd, "r");
    if (fd < 0) return NULL;
    close(fd);
    errno = EINVAL;
    return NULL;
}

const char *source_not_opened(void)
{
    return errno == EINVAL ? "it is no regular file" : strerror(errno);
}

bool source_read_regular(const char *path, Text *text, const char **why)
{
    FILE *file = source_open_regular(path);
    if (!file) {
        *why = source_not_opened();
        return false;
    }
    text_add_stream(text, file, SIZE_MAX);
    fclose(file);
    return true;
}

int sources_load(Sources *s, const char *path, const char **why)
{
    bool standard = strcmp(path, "-") == 0;
    int given = standard ? -1 : load_given(s, path);
    if (given >= 0) return given;
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (!in) {
        *why = strerror(errno);
        return -1;
    }
    Text t = {0};
    text_add_stream(&t, in, UINT32_MAX);
    int index = -1;
    if (ferror(in))
        *why = strerror(errno);
    else if (t.len >= UINT32_MAX)
        *why = "the file is too large";
    else
        index = sources_add(s, standard ? "<stdin>" : path, t.data ? t.data : "", t.len);
    if (index >= 0 && fstat(fileno(in), &s->files.data[index].identity) != 0)
        s->files.data[index].identity = (struct stat){0};
    if (index >= 0) s->files.data[index].named = !standard;
    if (!standard) fclose(in);
    text_free(&t);
    return index;
}

bool sources_is_loaded(const Sources *s, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    for (size_t i = 0; i < s->files.len; i++) {
        const struct stat *own = &s->files.data[i].identity;
        if (S_ISREG(own->st_mode) && own->st_dev == st.st_dev && own->st_ino == st.st_ino)
            return true;
    }
    return false;
}

uint32_t sources_count(const Sources *s)
{
    return (uint32_t)s->files.len;
}

bool sources_was_loaded(const Sources *s, uint32_t file)
{
    return s->files.data[file].named;
}

const Source *sources_get(const Sources *s, uint32_t file)
{
    return file < s->files.len ? &s->files.data[file].source : NULL;
}

void sources_position(const Sources *s, uint32_t file, uint32_t offset, int *line, int *col)
{
    *line = *col = 1;
    if (file >= s->files.len) return;
    const File *f = &s->files.data[file];
    if (offset > f->source.len) offset = (uint32_t)f->source.len;
    size_t lo = 0, hi = f->nlines; /* the line is in [lo, hi) */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->lines[mid] <= offset)
            lo = mid;
        else
            hi = mid;
    }
    *line = (int)lo + 1;
    /* Bytes 10xxxxxx continue a character. */
    for (uint32_t i = f->lines[lo]; i < offset; i++)
        *col += ((unsigned char)f->source.text[i] & 0xC0) != 0x80;
}
