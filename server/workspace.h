/* The files that belong together: those that are open, and those in the folders that the editor shows. */
#ifndef CS_SERVER_WORKSPACE_H
#define CS_SERVER_WORKSPACE_H

#include "document.h"

typedef VEC(Document *) Documents;

typedef struct Workspace {
    const char *const *folders; /* of modules, besides a file's own */
    size_t nfolders;
    VEC(char *) roots; /* paths; none: the folder of the file that is asked about */
    Documents open;
    VEC(SourceGiven) given; /* their texts, once asked for */
} Workspace;

/* What `initialize` says of folders. */
void workspace_begin(Workspace *w, const json_t *params);
void workspace_end(Workspace *w);
/* As the open files are now: until one changes. */
Around workspace_around(Workspace *w);
const Analysis *workspace_analyse(Workspace *w, Document *d);

/* A declaration, whatever file is analysed. */
typedef struct Place {
    const char *path; /* real */
    uint32_t begin;
    SymKind kind;
    const char *name;
} Place;

/* `from` first, then the other files that may name it, in the order of their names: those that are not open are read. */
void workspace_find(Workspace *w, Document *from, const Place *p, Documents *out);
/* Every file: those that are open and those of the folders that the editor shows, by name. */
void workspace_all(Workspace *w, Documents *out);
void workspace_found_free(Documents *found);

/* Of a symbol that files can share; false: no other file can name it. The texts are a's. */
bool place_of(const Analysis *a, const Symbol *sym, Place *out);
/* The number of the place's file among those that were analysed, -1: it was not. */
int place_file(const Analysis *a, const Place *p);
/* Does the token name it? file: place_file. */
bool place_is(const Analysis *a, size_t token, const Place *p, int file);

#endif
