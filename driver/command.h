/* What csc does: compile, or what the first word on the command line names. */
#ifndef CS_DRIVER_COMMAND_H
#define CS_DRIVER_COMMAND_H

#include "options.h"

typedef struct Command {
    const char *name; /* NULL: the one without a name, which comes first */
    const char *synopsis, *help;
    CommandTakes takes;
    int (*run)(const Options *o); /* returns the exit code */
} Command;

const Command *command_at(int k);              /* NULL behind the last */
const Command *command_find(const char *name); /* NULL: there is none of this name */

/* Compiles as `csc ..` does, with argv[0] for csc. Returns the exit code. */
int command_compile(int argc, char **argv);

/* The whole of csc: returns the exit code. */
int command_main(int argc, char **argv);

#endif
