/* What the driver writes: files whole or not at all, and linked programs. */
#ifndef CS_DRIVER_WRITE_H
#define CS_DRIVER_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../base/arena.h"
#include "../codegen/host/host.h"

/* path NULL or "-": standard output. False after a message. */
bool write_bytes(const char *path, const void *data, size_t bytes, mode_t mode);

/* csc's own file. False: the system does not say. */
bool write_self(Text *path);
/* Where a file lies that csc is shipped with (csrt.o, what programs are linked with; csc.kept, objects): in
 * build/ beside an uninstalled csc, in ../lib/csc of an installed one. False: it does not. */
bool write_shipped(Text *path, const char *name);
/* Links a program or library; a file that is open, or -1 after a message. */
int write_linked(HostModule *module, HostLinked kind, bool verbose);
/* Copies it to where it is wanted. */
bool write_program(int program, const char *path, mode_t mode);

/* The input's name without folder and without .cs$, with a new suffix: gcc's default outputs, a.out
 * of standard input. */
const char *write_default(Arena *a, const char *input, const char *suffix);

#endif
