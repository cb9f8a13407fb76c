/* The table of commands. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../codegen/kernel/codegen.h"
#include "../server/server.h"
#include "command.h"
#include "compile/compile.h"
#include "measure/bench.h"
#include "measure/profile.h"
#include "measure/tune.h"
#include "message.h"
#include "run/mpi.h"
#include "run/test.h"
#include "run/watch.h"
#include "session/repl.h"
#include "source/doc.h"
#include "source/fmt.h"
#include "source/project.h"

static int run_compile(const Options *o)
{
    return compile(o, NULL) ? 0 : 1;
}

/* This process becomes the program, so its signals, its exit code and the death that it dies are the
 * program's; nothing is left to be removed. */
static int run_program(const Options *o)
{
    if (o->emit != EMIT_PROGRAM) return run_compile(o);
    int program;
    if (!compile(o, &program)) return 1;
    fexecve(program, o->arguments, environ);
    complain("cannot run the program: %s%s", strerror(errno),
             errno == EACCES ? "; TMPDIR is to name a folder of programs that may be run" : "");
    return 1;
}

static int run_server(const Options *o)
{
    return server_run(stdin, stdout, o->include.data, o->include.len);
}

static const Command table[] = {
    {NULL, "[options] file.cs$ .. [-o program]", "compile; the first file uses the others",
     TAKES_FILES, run_compile},
    {"run", "[options] file.cs$ [arguments]", "compile to a temporary file and run",
     TAKES_FILE_AND_ARGUMENTS, run_program},
    {"new", "NAME", "a folder with a program, its test and csdollar.json", TAKES_FILES,
     project_new},
    {"build", "", "compile what csdollar.json of this folder says", TAKES_NOTHING, project_build},
    {"watch", "[options] file.cs$ [arguments]",
     "compile and run, again whenever a source in its folder changes; ^C ends it",
     TAKES_FILE_AND_ARGUMENTS, watch},
    {"fmt", "[--check] file.cs$ ..", "lay files out in the one style; --check: say which are not",
     TAKES_FILES, fmt},
    {"test", "[--filter=TEXT] [--timeout=SECONDS] [--json] file.cs$ ..",
     "run functions with [Test], and programs with // expect: lines", TAKES_FILES, test},
    {"bench", "[--filter=TEXT] [--time=SECONDS] [--against=FILE] [-o FILE] [--json] file.cs$ ..",
     "time functions with [Bench]", TAKES_FILES, bench},
    {"tune", "[--time=SECONDS] file.cs$ [arguments]",
     "search parameters of a program's kernels, kept in FILE.tune beside it",
     TAKES_FILE_AND_ARGUMENTS, tune},
    {"profile", "[--html=FILE] [--json] file.cs$ [arguments]",
     "compile and run; what its kernels take, at the end", TAKES_FILE_AND_ARGUMENTS, profile},
    {"doc", "[-o FILE] file.cs$ ..",
     "what files, or types of the library, declare, with their /// comments, as Markdown; as HTML "
     "into FILE.html",
     TAKES_FILES, doc},
    {"mpi", "MPICC",
     "the library by which programs run under an MPI's launcher, compiled by its mpicc",
     TAKES_FILES, mpi_make},
    {"repl", "[options]", "a session: entries are compiled and run as they are typed",
     TAKES_NOTHING, repl},
    {"lsp", "[-I DIR]", "a language server on the standard streams, for editors", TAKES_NOTHING,
     run_server},
};

const Command *command_at(int k)
{
    return k < (int)(sizeof table / sizeof *table) ? &table[k] : NULL;
}

const Command *command_find(const char *name)
{
    for (int k = 1; command_at(k); k++)
        if (strcmp(table[k].name, name) == 0) return &table[k];
    return NULL;
}

/* Whether `name`, which is no file, looks like a command; says which. */
static bool is_mistyped(const char *name)
{
    const char *names[sizeof table / sizeof *table];
    size_t n = 0;
    for (int k = 1; command_at(k); k++) names[n++] = table[k].name;
    const char *near = name[0] != '-' && !strchr(name, '.') ? diag_nearest(name, names, n) : NULL;
    if (!near || access(name, F_OK) == 0) return false;
    complain("there is no command '%s': did you mean csc %s?", name, near);
    return true;
}

static int run_command(const Command *command, int argc, char **argv, int from)
{
    Options o = {.emit = EMIT_PROGRAM, .seconds = -1, .timeout = 60, .host = {.opt_level = 2}};
    options_levels(&o, !command->name); /* what commands compile they run */
    o.command = command->name;
    OptionEnd end = options_read(&o, command->takes, argc, argv, from);
    if (o.ranks) setenv("CS_RANKS", o.ranks, 1); /* the program's */
    o.host.program = o.input;
    int code = end == OPTION_GO_ON ? command->run(&o) : end == OPTION_DONE ? 0 : 1;
    options_free(&o);
    return code;
}

int command_compile(int argc, char **argv)
{
    return run_command(&table[0], argc, argv, 1);
}

int command_main(int argc, char **argv)
{
    const Command *command = argc > 1 ? command_find(argv[1]) : NULL;
    if (!command && argc > 1 && is_mistyped(argv[1])) return 1;
    return command ? run_command(command, argc, argv, 2) : command_compile(argc, argv);
}
