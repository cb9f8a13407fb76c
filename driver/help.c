/* Help in every form, from the tables of commands and options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../fdag/fdag.h"
#include "command.h"
#include "help.h"
#include "message.h"
#include "options.h"

/* Variables that compiled programs read; docs/runtime.md says more of each. */
static const struct {
    const char *name, *help;
} variables[] = {
    {"CS_DEVICE",
     "where evaluations run: cpu, gpu, #k, a part of a device's name, opencl, native, ref"},
    {"CS_FAMILY", "which kernels are generated whatever the device is: cpu, gpu"},
    {"CS_INTERPRET", "0: evaluations of few operations are launched too"},
    {"CS_SHORT",
     "N: sums and the like over at most N elements are loops of the program (512); 0: none"},
    {"CS_PLAN",
     "0: each evaluation is a launch; 1: those that pay are one; greedy: all that may be"},
    {"CS_CLOSE",
     "bytes of arrays whose loops are left as they are, in a close cache (half of AMD's L3)"},
    {"CS_JIT",
     "the csc that makes machine code for kernels that the program has none of; empty: none"},
    {"CS_GUARD", "1: what a native kernel reads or writes outside its buffers ends the program"},
    {"CS_DEVICE_APART", "set: every device counts as one with memory of its own (for tests)"},
    {"CS_BUILD_OPTIONS", "options for the driver's compiler of kernels, as -cl-opt-disable"},
    {"CS_CACHE_DIR", "folder of the cache of kernels on disk; empty: none"},
    {"CS_CACHE_BINARIES", "1: keep the driver's binaries of kernels, 0: don't"},
    {"CS_CACHE_LIMIT", "bytes of that cache, with K, M or G behind the number (256M)"},
    {"CS_MEM_LIMIT", "bytes that a program may take, with K, M or G behind the number"},
    {"CS_KEEP",
     "bytes for the states of a loop that a derivative takes back (a quarter of memory)"},
    {"CS_RANKS", "how many processes run the program together (1)"},
    {"CS_PLACES",
     "on how many devices it runs, with a process for each; all, gpu: those there are"},
    {"CS_MPI", "which MPI's launcher started the program: openmpi, mpich, a library's file; none"},
    {"CS_BLOCKS", "into so many blocks evaluations of one process are divided (for tests)"},
    {"CS_RANKS_LEAST", "operations from which they divide an evaluation (1048576)"},
    {"CS_RANKS_CHECK", "1: they compare all that they do, and end where it differs"},
    {"CS_PROFILE",
     "1: a table of kernels, with calls and times, at the end; else a file for it as JSON"},
    {"CS_TRACE", "a file for when evaluations, builds and kernels ran, for Perfetto"},
    {"CS_DUMP", "any of fdag, opencl, plan, ranks: what is evaluated, on standard error"},
};

enum { VARIABLES = sizeof variables / sizeof *variables, COLUMN = 20, WIDTH = 100 };

static const char *const between[] = {
    [OPTION_FLAG] = "",    [OPTION_WORD] = " ", [OPTION_JOINED] = "",
    [OPTION_EQUALS] = "=", [OPTION_MAYBE] = "", [OPTION_NEXT] = " "};

/* -o FILE, --emit=KIND, -h, --help[=FORM] */
static void add_written(Text *out, const Option *o)
{
    if (o->alias) text_printf(out, "%s, ", o->alias);
    text_add(out, o->name);
    if (!o->value) return;
    if (o->form == OPTION_MAYBE)
        text_printf(out, "[=%s]", o->value);
    else
        text_printf(out, "%s%s", between[o->form], o->value);
}

/* The help of an option, with its choices. */
static void add_help(Text *out, const Option *o)
{
    text_add(out, o->help);
    if (!o->choices) return;
    text_add(out, ": ");
    for (const char *c = o->choices; *c; c++) text_add(out, *c == ' ' ? ", " : (char[]){*c, '\0'});
}

/* ---- text ---------------------------------------------------------------------------------- */

/* In a column, lines broken at spaces. */
static void add_wrapped(Text *out, const char *text, int column)
{
    size_t room = (size_t)(WIDTH - column);
    while (strlen(text) > room) {
        size_t n = room;
        while (n && text[n] != ' ') n--;
        text_printf(out, "%.*s\n%*s", (int)n, text, column, "");
        text += n + 1;
    }
    text_printf(out, "%s\n", text);
}

static void add_usage(Text *out)
{
    const Command *c;
    for (int k = 0; (c = command_at(k)); k++) {
        Text line = {0};
        text_printf(&line, "%s csc %s%s%s", k ? "      " : "usage:", c->name ? c->name : "",
                    c->name ? " " : "", c->synopsis);
        text_printf(out, "%-50s %s\n", line.data, c->help);
        text_free(&line);
    }
}

static void add_option(Text *out, const Option *o)
{
    Text written = {0}, help = {0};
    add_written(&written, o);
    add_help(&help, o);
    bool fits = written.len + 3 <= COLUMN;
    text_printf(out, "  %-*s%s", COLUMN - 2, written.data, "");
    if (!fits) text_printf(out, "\n%*s", COLUMN, "");
    add_wrapped(out, help.data, COLUMN);
    text_free(&written);
    text_free(&help);
}

/* "[--filter=TEXT] file": is the option one of those in brackets? */
static bool is_in_synopsis(const char *synopsis, const Option *o)
{
    size_t n = strlen(o->name);
    for (const char *at = synopsis; (at = strchr(at, '[')); at++)
        if (strncmp(at + 1, o->name, n) == 0 && strchr("= ]", at[n + 1])) return true;
    return false;
}

void help_command(Text *out, const char *name)
{
    const Command *c = command_find(name);
    const Option *o;
    text_printf(out, "usage: csc %s %s\n%s\n\n", name, c->synopsis, c->help);
    size_t before = out->len;
    for (int i = 0; (o = option_at(i)); i++)
        if (o->help && is_in_synopsis(c->synopsis, o)) add_option(out, o);
    if (out->len > before) text_add(out, "\n");
    text_add(out, "csc --help lists all options.\n");
}

static void print_text(Text *out)
{
    const Option *o;
    add_usage(out);
    text_add(out, "\n");
    for (int i = 0; (o = option_at(i)); i++)
        if (o->help) add_option(out, o);
    text_printf(out, "  %-*s%s\n", COLUMN - 2, "--",
                "what follows is no option, also if it begins with -");
}

/* ---- the manual page -------------------------------------------------------------------------- */

/* A minus of troff is \-, and a line's first . or ' a command. */
static void add_troff(Text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '-') text_add(out, "\\");
        if (*c == '\\')
            text_add(out, "\\e");
        else
            text_addn(out, c, 1);
    }
}

static void print_man(Text *out)
{
    const Command *c;
    const Option *o;
    text_add(out, ".TH CSC 1 \"\" \"csc " VERSION "\" \"C$\"\n.SH NAME\ncsc \\- compiler of C$, a "
                  "functional language of arrays\n.SH SYNOPSIS\n");
    for (int k = 0; (c = command_at(k)); k++) {
        text_printf(out, "%s.B csc%s%s\n", k ? ".br\n" : "", c->name ? " " : "",
                    c->name ? c->name : "");
        add_troff(out, c->synopsis);
        text_add(out, "\n");
    }
    text_add(out,
             ".SH DESCRIPTION\nCompiles a program of C$ to an executable whose kernels run on any "
             "device of OpenCL. The file\n.B \\-\nis standard input.\n.SH COMMANDS\n");
    for (int k = 0; (c = command_at(k)); k++) {
        text_printf(out, ".TP\n.B csc%s%s\n", c->name ? " " : "", c->name ? c->name : "");
        add_troff(out, c->help);
        text_add(out, "\n");
    }
    text_add(out, ".SH OPTIONS\n");
    for (int i = 0; (o = option_at(i)); i++) {
        if (!o->help) continue;
        Text written = {0}, help = {0};
        add_written(&written, o);
        add_help(&help, o);
        text_add(out, ".TP\n.B ");
        add_troff(out, written.data);
        text_add(out, "\n");
        add_troff(out, help.data);
        text_add(out, "\n");
        text_free(&written);
        text_free(&help);
    }
    text_add(out, ".SH ENVIRONMENT\nof the compiled programs\n");
    for (int i = 0; i < VARIABLES; i++) {
        text_printf(out, ".TP\n.B %s\n", variables[i].name);
        add_troff(out, variables[i].help);
        text_add(out, "\n");
    }
    text_add(out,
             ".SH EXIT STATUS\n0, or 1 after an error; of\n.B csc run\nthat of the program.\n");
}

/* ---- shells ------------------------------------------------------------------------------------ */

static void add_words(Text *out)
{
    const Option *o;
    for (int i = 0; (o = option_at(i)); i++)
        if (o->help)
            text_printf(out, "%s%s%s", i ? " " : "", o->name, o->form == OPTION_EQUALS ? "=" : "");
}

static void print_bash(Text *out)
{
    const Command *c;
    const Option *o;
    text_add(out, "# bash completion of csc\n"
                  "_csc() {\n"
                  "    local cur prev words cword\n"
                  "    _init_completion -n = || return\n"
                  "    case $cur in\n");
    for (int i = 0; (o = option_at(i)); i++)
        if (o->help && o->choices && o->form != OPTION_JOINED)
            text_printf(out,
                        "    %s=*) mapfile -t COMPREPLY < <(compgen -P '%s=' -W '%s' -- "
                        "\"${cur#*=}\"); return ;;\n",
                        o->name, o->name, o->choices);
    text_add(out, "    -*)\n        mapfile -t COMPREPLY < <(compgen -W '");
    add_words(out);
    text_add(out, "' -- \"$cur\")\n"
                  "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
                  "        return ;;\n"
                  "    esac\n"
                  "    _filedir 'cs$'\n");
    text_add(out,
             "    ((cword == 1)) && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '");
    for (int k = 1; (c = command_at(k)); k++) text_printf(out, "%s%s", k > 1 ? " " : "", c->name);
    text_add(out, "' -- \"$cur\")\n}\ncomplete -F _csc csc\n");
}

/* In single quotes of a shell; for zsh a : ends a word and [ ] hold the help. */
static void add_quoted(Text *out, const char *text, const char *escaped)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            text_add(out, "'\\''");
            continue;
        }
        if (strchr(escaped, *c)) text_add(out, "\\");
        text_addn(out, c, 1);
    }
}

static void print_fish(Text *out)
{
    const Command *c;
    const Option *o;
    text_add(out, "# fish completion of csc\n");
    for (int k = 1; (c = command_at(k)); k++) {
        text_printf(out, "complete -c csc -n __fish_use_subcommand -a %s -d '", c->name);
        add_quoted(out, c->help, "\\");
        text_add(out, "'\n");
    }
    for (int i = 0; (o = option_at(i)); i++) {
        if (!o->help || strchr(o->name, '=')) continue;
        bool is_long = o->name[1] == '-';
        text_printf(out, "complete -c csc -%c %s",
                    is_long      ? 'l'
                    : o->name[2] ? 'o'
                                 : 's',
                    o->name + 1 + is_long);
        if (o->alias) text_printf(out, " -s %s", o->alias + 1);
        if (o->choices)
            text_printf(out, " -x -a '%s'", o->choices);
        else if (o->value)
            text_add(out, " -r");
        text_add(out, " -d '");
        add_quoted(out, o->help, "\\");
        text_add(out, "'\n");
    }
}

static void print_zsh(Text *out)
{
    const Command *c;
    const Option *o;
    text_add(out, "#compdef csc\n_arguments -s \\\n");
    for (int i = 0; (o = option_at(i)); i++) {
        if (!o->help || strchr(o->name, '=')) continue;
        static const char *const joints[] = {[OPTION_WORD] = "+",
                                             [OPTION_JOINED] = "-",
                                             [OPTION_EQUALS] = "=",
                                             [OPTION_MAYBE] = "="};
        const char *joint = joints[o->form];
        text_printf(out, "  '%s%s[", o->name, joint ? joint : "");
        add_quoted(out, o->help, "[]\\");
        text_add(out, "]");
        if (o->value) text_printf(out, "%s:%s:", o->form == OPTION_MAYBE ? ":" : "", o->value);
        if (o->choices)
            text_printf(out, "(%s)", o->choices);
        else if (o->value && strcmp(o->value, "FILE") == 0)
            text_add(out, "_files");
        text_add(out, "' \\\n");
    }
    text_add(out, "  '1:command or file:{_alternative \"commands:command:(");
    for (int k = 1; (c = command_at(k)); k++) text_printf(out, "%s%s", k > 1 ? " " : "", c->name);
    text_add(out, ")\" \"files:file:_files -g \\*.cs\\$\"}' \\\n  '*:file:_files'\n");
}

/* Of schedules: what --set takes and csc tune tries. */
static void print_parameters(Text *out)
{
    text_printf(out, "%-24s %8s %8s  %-9s %s\n", "parameter", "least", "most", "attribute",
                "meaning");
    for (int k = 0; k < cg_parameters(); k++) {
        const CgParameter *p = cg_parameter(k);
        char attribute[32] = "";
        if (*p->attribute)
            snprintf(attribute, sizeof attribute, "%s%s", p->attribute, p->argument ? " 2nd" : "");
        text_printf(out, "%-24s %8" PRId64 " %8" PRId64 "  %-9s %s\n", p->name, p->least, p->most,
                    attribute, p->meaning);
    }
}

static void print_pass_list(Text *out, const char *name, const FdPass *passes)
{
    size_t width = 8;
    text_printf(out, "%-8s", name);
    for (const FdPass *p = passes; p->name; p++) {
        size_t more = 1 + strlen(p->name);
        if (width + more > 90) {
            text_printf(out, "\n%-8s", "");
            width = 8;
        }
        text_printf(out, " %s", p->name);
        width += more;
    }
    text_add(out, "\n");
}

/* The passes over graphs in their order: what --dump-after and --passes name. */
static void print_passes(Text *out)
{
    print_pass_list(out, "front", fd_front_passes);
    print_pass_list(out, "back", fd_back_passes_for(FD_REALS_USUAL));
    print_pass_list(out, "precise", fd_back_passes_for(FD_REALS_PRECISE));
    print_pass_list(out, "fast", fd_back_passes_for(FD_REALS_FAST));
}

void help_print(Text *out, const char *form)
{
    static const struct {
        const char *name;
        void (*print)(Text *);
    } forms[] = {{"text", print_text},    {"man", print_man}, {"bash", print_bash},
                 {"fish", print_fish},    {"zsh", print_zsh}, {"parameters", print_parameters},
                 {"passes", print_passes}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form ? form : "text", forms[i].name) == 0) forms[i].print(out);
}
