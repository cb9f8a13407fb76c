/* A source file as commands read it: for each file anew. */
#ifndef CS_DRIVER_READING_H
#define CS_DRIVER_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/arena.h"
#include "../../base/intern.h"
#include "../../base/report/diag.h"
#include "../../base/report/source.h"
#include "../../parser/parser.h"
#include "../options.h"

typedef struct Reading {
    Sources *sources;
    Diags *diags;
    Interner *names;
    Arena *arena; /* of trees */
    uint32_t file;
    bool good; /* the file could be read; else that has been said */
} Reading;

Reading reading_begin(const char *path);
/* Of a text without a file, which is copied. */
Reading reading_of_text(const char *text, size_t len);
/* Of a good one: the file with the modules that it uses. */
Ast *reading_parse(const Reading *r, const Options *o);
/* Tells what the reading found, in the format that is asked for. */
void reading_tell(const Reading *r, const Options *o);
void reading_end(Reading *r);

#endif
