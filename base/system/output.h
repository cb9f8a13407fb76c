/* Files that are written whole or not at all. What is written has no name (O_TMPFILE), or where the
 * file system lacks that a temporary one that goes with the process; only when all is on the disk
 * does it take the place of the target. A target that is no regular file (a pipe, a device), and
 * one that is the process's own standard output or error, is written directly. */
#ifndef CS_BASE_OUTPUT_H
#define CS_BASE_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "process.h"

typedef struct Output {
    char *target; /* links followed, also one that points to nothing yet; NULL: written directly */
    Leftover temporary; /* path NULL: it has no name */
    int fd;
    mode_t mode;   /* of the finished file */
    bool exists;   /* the target, when it was opened */
    bool in_place; /* nothing can be made in its folder: its bytes are replaced, not the file */
} Output;

/* Each returns 0 or an errno; output_end follows in any case, and takes back what output_finish has
 * not made good. mode: the rights of a new file, less the umask, as of open(2); an existing file
 * keeps its own, with the rights to execute of `mode` added. durable: on the disk before it takes
 * the target's place, so that no crash leaves less than the old or the new. */
int output_open(Output *o, const char *path, mode_t mode);
int output_write(Output *o, const void *data, size_t bytes);
int output_finish(Output *o, bool durable);
void output_end(Output *o);

/* All bytes to what is open already; 0 or an errno. */
int output_to(int fd, const void *data, size_t bytes);

#endif
