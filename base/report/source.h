/* Source texts and positions in them. A Loc is a byte range of one file; lines and columns are
 * computed only when something is printed. */
#ifndef CS_BASE_SOURCE_H
#define CS_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../text.h"

typedef struct Loc {
    uint32_t file;       /* index into the Sources, 0 for the first */
    uint32_t begin, end; /* byte offsets, end excluded */
} Loc;

/* The part of a place that a name takes at its begin, and at its end. */
Loc loc_first(Loc loc, const char *name);
Loc loc_last(Loc loc, const char *name);

typedef struct Source {
    const char *path; /* as the user gave it */
    const char *text; /* NUL-terminated; may hold NULs itself */
    size_t len;
    bool library; /* part of the compiler */
} Source;

typedef struct Sources Sources;

Sources *sources_new(void);
void sources_free(Sources *s);

/* What a file holds instead of what is on the disk: a text that is being edited. */
typedef struct SourceGiven {
    const char *path; /* as realpath gives it */
    const char *text;
    size_t len;
} SourceGiven;

/* For sources_load; the array and its texts stay the caller's. */
void sources_give(Sources *s, const SourceGiven *given, size_t n);
/* Reads a whole file; "-": standard input. Returns its index, or -1 with *why set to a static or errno text. */
int sources_load(Sources *s, const char *path, const char **why);
int sources_add(Sources *s, const char *path, const char *text, size_t len); /* copies the text */
int sources_add_library(Sources *s, const char *path, const char *text, size_t len);
/* Whether `path` names a file that was loaded, through whatever links. */
bool sources_is_loaded(const Sources *s, const char *path);
/* A regular file alone, else EINVAL: a pipe would be waited for, a device read without end. */
FILE *source_open_regular(const char *path);
const char *source_not_opened(void); /* why not, of the errno that it leaves */
/* Appends all of such a file; false with *why. */
bool source_read_regular(const char *path, Text *text, const char **why);
uint32_t sources_count(const Sources *s);
bool sources_was_loaded(const Sources *s, uint32_t file); /* not added, nor standard input */
const Source *sources_get(const Sources *s, uint32_t file);

/* 1-based line and column (in characters, tabs count one) of a byte offset. */
void sources_position(const Sources *s, uint32_t file, uint32_t offset, int *line, int *col);

#endif
