/* Libraries (csc --lib, --python): how they and their files are called, and writing them. */
#ifndef CS_DRIVER_LIBRARY_H
#define CS_DRIVER_LIBRARY_H

#include "../base/report/source.h"
#include "options.h"

typedef struct Library Library;

/* Of -o, else of the input's name. NULL after a message. */
Library *library_new(Arena *a, const Options *o);
const char *library_name(const Library *l); /* what the names of its functions begin with */
const char *library_path(const Library *l);
/* False after messages. */
bool library_write(const Library *l, HostModule *m, int nexports, const Sources *sources);

#endif
