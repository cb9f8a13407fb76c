/* The command line: one table of options, of which help.c makes --help, the manual page and what
 * shells complete. */
#ifndef CS_DRIVER_OPTIONS_H
#define CS_DRIVER_OPTIONS_H

#include <stdbool.h>

#include "../base/report/diag.h"
#include "../base/vec.h"
#include "../codegen/host/host.h"

typedef enum Emit { /* in the order in which the pipeline can make them */
                    EMIT_PROGRAM,
                    EMIT_CHECK,
                    EMIT_TOKENS,
                    EMIT_AST,
                    EMIT_TYPES,
                    EMIT_FDAG,
                    EMIT_DOT,
                    EMIT_SCHEDULE,
                    EMIT_EXPLAIN, /* --explain=kernels */
                    EMIT_RANKS,   /* --explain=ranks */
                    EMIT_OPENCL,
                    EMIT_NATIVE,
                    EMIT_KEPT, /* objects for csc to be shipped with */
                    EMIT_LLVM,
                    EMIT_ASM,
                    EMIT_OBJ
} Emit;

typedef enum OptionEnd { OPTION_GO_ON, OPTION_DONE, OPTION_WRONG } OptionEnd;

typedef struct Options Options;
struct Options {
    const char *command; /* its name, or NULL */
    OptionEnd (*instead)(
        const Options *o); /* what an option asks for in place of the command, once all are read */
    const char *asked;     /* its value */
    const char *input, *output; /* "-": the standard streams */
    const char *text;           /* what the input holds instead of the file's text; NULL: that */
    const char *filter;         /* of csc test, or NULL */
    const char *schedule;       /* --schedule: a file; NULL: recipes choose */
    const char *tuned;          /* --tuned: a file, "none"; NULL: the one beside the input */
    unsigned timeout;           /* --timeout, seconds; 0: none */
    const char *ranks;          /* -n, or NULL */
    int seconds;                /* --time; -1: as the command has it */
    const char *against;        /* of csc bench: what it wrote before, or NULL */
    const char *html;           /* of csc profile: a file for its report, or NULL */
    Emit emit;
    VEC(FdPass) passes;     /* --passes: what --emit=fdag shows the graphs after; {0} at the end */
    const char *dump_after; /* a pass, or NULL: of the usual ones */
    unsigned levels;        /* of native kernels: a bit a CgNativeLevel */
    bool levels_asked;      /* for all kernels, however long it takes */
    bool verbose, json, dependencies; /* json: how messages are printed */
    bool library, python;             /* --lib, --python: a library instead of a program */
    const char *dependency_file;      /* NULL: named after the output */
    DiagLevel warnings[DIAG_COUNT];
    char **arguments;    /* of a command whose last ones are a program's: from its own name on */
    struct Entry *entry; /* of a session, in place of a program (session/entry.h), or NULL */
    HostOptions host;
    VEC(const char *) include; /* -I folders, searched for modules */
    VEC(const char *) files;   /* of a command that takes several; input is the first */
};

typedef enum OptionForm {
    OPTION_FLAG,   /* --check */
    OPTION_WORD,   /* -o FILE, -oFILE */
    OPTION_JOINED, /* -WNAME, and as they come -W NAME */
    OPTION_EQUALS, /* --emit=KIND, --emit KIND */
    OPTION_MAYBE,  /* --help, --help=FORM */
    OPTION_NEXT    /* --explain CODE */
} OptionForm;

typedef struct Option {
    const char *name, *alias, *value; /* value: what stands for it in --help */
    OptionForm form;
    const char *choices; /* its values, with spaces between; NULL: any */
    OptionEnd (*set)(Options *, const char *value);
    size_t flag;       /* without `set`: where in Options the bool is */
    const char *fixed; /* the value of one that is written without */
    const char *help;  /* NULL: not told */
} Option;

/* Sets the levels of native kernels: the processor's best, with which programs need no device here; of a program that may
 * be carried elsewhere the one that most processors have, too. */
void options_levels(Options *o, bool carried);
const Option *option_at(int i); /* in the order of --help; NULL behind the last */

/* What stands before a command's own arguments. */
typedef enum CommandTakes { TAKES_FILE_AND_ARGUMENTS, TAKES_FILES, TAKES_NOTHING } CommandTakes;

/* Options and the file of argv[from..]; what is wrong has been said. */
OptionEnd options_read(Options *o, CommandTakes takes, int argc, char **argv, int from);
void options_free(Options *o);

#endif
