/* csc lsp: a language server (Language Server Protocol 3.17) for editors. */
#ifndef CS_SERVER_SERVER_H
#define CS_SERVER_SERVER_H

#include <stddef.h>
#include <stdio.h>

/* Serves until `exit` or the end of the input; folders: of modules. Returns the exit code: 0 after a
 * `shutdown`. */
int server_run(FILE *in, FILE *out, const char *const *folders, size_t nfolders);

#endif
