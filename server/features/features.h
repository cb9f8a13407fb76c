/* What editors ask of a text. Each takes the parameters of its request and returns its result, a new
 * reference; NULL, with *error set, if it cannot. */
#ifndef CS_SERVER_FEATURES_H
#define CS_SERVER_FEATURES_H

#include "../workspace.h"

typedef struct Request {
    Document *document;       /* NULL: the request is about all */
    const Analysis *analysis; /* of the document as it is */
    const json_t *params;
    uint32_t offset; /* of params.position, 0 without one */
    Workspace *workspace;
    const char *error; /* static */
} Request;

typedef json_t *Feature(Request *r);

Feature feature_hover;                                             /* hover.c */
Feature feature_signature;                                         /* signature.c */
Feature feature_definition, feature_references, feature_highlight; /* navigate.c */
Feature feature_prepare_rename, feature_rename;                    /* rename.c */
Feature feature_complete;                                          /* complete.c */
Feature feature_outline, feature_symbols;                          /* outline.c */
Feature feature_actions;                                           /* actions.c */
Feature feature_folding;                                           /* folding.c */
Feature feature_semantic;                                          /* semantic.c */
Feature feature_hints;                                             /* hints.c */
Feature feature_format;                                            /* format.c */

/* The array of diagnostics of the document's own file. */
json_t *feature_diagnostics(const Document *d, const Analysis *a);
/* A message, without its notes. */
json_t *feature_message(const Document *d, const DiagView *v);
/* What `initialize` says of semantic tokens. */
json_t *feature_semantic_legend(void);

/* The range of a token. */
json_t *feature_range(const Request *r, int token);
/* The tokens of a document that name what the request's `sym` is, in whatever file it is declared. */
typedef struct Uses {
    Documents files; /* the request's first */
    Place place;
    const Symbol *sym; /* of the request's analysis */
    bool shared;       /* may others name it? */
    const Analysis *last;
    int declared; /* place_file of `last` */
} Uses;

void uses_begin(Uses *u, Request *r, const Symbol *sym);
void uses_end(Uses *u);
/* The next one from token t on, of an analysis of files.data[file]; -1: there is none. */
int uses_next(Uses *u, const Analysis *a, size_t file, int t);

#endif
