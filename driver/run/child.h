/* Programs that csc starts and waits for: csc test, tune, profile, bench. */
#ifndef CS_DRIVER_CHILD_H
#define CS_DRIVER_CHILD_H

#include <stdbool.h>

#include "../../base/text.h"

/* Gives the linked program, a file that is open, or -1. In the child: what it says is kept, and if it aborts
 * the child alone ends. */
typedef int ChildProgram(void *ctx);

typedef struct Child {
    ChildProgram *program;
    void *ctx;
    char *const *argv;
    int n;
    const char *const (*env)[2]; /* n names with values */
    bool shows;                  /* its streams are ours, else they are kept */
    unsigned seconds;            /* then it is ended by SIGALRM, which it may hear; 0: never */
} Child;

typedef struct ChildEnd {
    bool started, late; /* late: it took longer than it may */
    int status;         /* of waitpid */
    double ms;
    Text out, err; /* what it wrote, if it was kept */
} ChildEnd;

ChildEnd child_run(const Child *c);
void child_end_free(ChildEnd *e);
/* NULL: it ended well; else what happened, "exit code 1". */
const char *child_why(const ChildEnd *e, char room[64]);

double child_now_ms(void);
/* A file without a name for a child to write, which it knows by `path`. */
int child_file(char path[32]);
/* All that is in a file, from its begin. */
void child_read(int fd, Text *out);

#endif
