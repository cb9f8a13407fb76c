/* The table of options, and what each does. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/text.h"
#include "../codegen/serve/serve.h"
#include "help.h"
#include "message.h"
#include "options.h"
#include "run/doctor.h"
#include "write.h"

static OptionEnd set_output(Options *o, const char *value)
{
    o->output = value;
    return OPTION_GO_ON;
}

static const struct {
    const char *name;
    Emit emit;
} emits[] = {{"check", EMIT_CHECK},   {"tokens", EMIT_TOKENS},     {"ast", EMIT_AST},
             {"types", EMIT_TYPES},   {"fdag", EMIT_FDAG},         {"dot", EMIT_DOT},
             {"opencl", EMIT_OPENCL}, {"schedule", EMIT_SCHEDULE}, {"kernels", EMIT_EXPLAIN},
             {"ranks", EMIT_RANKS},   {"native", EMIT_NATIVE},     {"llvm", EMIT_LLVM},
             {"asm", EMIT_ASM},       {"obj", EMIT_OBJ},           {"kept", EMIT_KEPT}};

static OptionEnd set_emit(Options *o, const char *value)
{
    int k = 0; /* the value has been looked up among the choices */
    while (strcmp(emits[k].name, value) != 0) k++;
    o->emit = emits[k].emit;
    if (o->emit == EMIT_KEPT) { /* for every processor */
        o->levels_asked = true;
        o->levels = 1u << CG_NATIVE_V3 | 1u << CG_NATIVE_V4 | 1u << CG_NATIVE_ZEN4;
    }
    return OPTION_GO_ON;
}

static OptionEnd set_filter(Options *o, const char *value)
{
    o->filter = value;
    return OPTION_GO_ON;
}

static OptionEnd set_level(Options *o, const char *value)
{
    o->host.opt_level = value[0] - '0';
    return OPTION_GO_ON;
}

static OptionEnd add_folder(Options *o, const char *value)
{
    vec_push(&o->include, value);
    return OPTION_GO_ON;
}

static OptionEnd set_tile(Options *o, const char *value)
{
    return cg_tile_from_text(value, &o->host.cg.tile) ? OPTION_GO_ON : OPTION_WRONG;
}

static OptionEnd set_family(Options *o, const char *value)
{
    return cg_family_from_text(value, &o->host.cg.family) ? OPTION_GO_ON : OPTION_WRONG;
}

void options_levels(Options *o, bool carried)
{
    o->levels = 0, o->levels_asked = false;
#if defined(__x86_64__)
    bool wide = cg_native_level_runs(CG_NATIVE_V4);
    o->levels |= 1u << (wide ? cg_native_best(CG_NATIVE_ALL) : CG_NATIVE_V3);
    if (wide && carried) o->levels |= 1u << CG_NATIVE_QUICK;
#else
    (void)carried;
#endif
}

/* host, off, or levels with commas between them */
static OptionEnd set_native(Options *o, const char *value)
{
    options_levels(o, false);
    if (strcmp(value, "host") == 0) return OPTION_GO_ON;
    o->levels = 0;
    o->levels_asked = true;
    for (const char *at = value, *end; strcmp(value, "off") != 0; at = end + 1) {
        CgNativeLevel level;
        end = strchrnul(at, ',');
        if (!cg_native_level_from_text(at, (size_t)(end - at), &level)) {
            complain("unknown --native=%s (v2, v3, v4, zen4, with commas, host, off)", value);
            return OPTION_WRONG;
        }
        o->levels |= 1u << level;
        if (!*end) break;
    }
    return OPTION_GO_ON;
}

static OptionEnd set_warning(Options *o, const char *value)
{
    if (diag_set_warning(o->warnings, value)) return OPTION_GO_ON;
    Arena *a = arena_new();
    const char *near = diag_nearest_warning(a, value);
    complain("there is no warning '-W%s'%s%s%s", value, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    arena_free(a);
    return OPTION_WRONG;
}

static OptionEnd set_format(Options *o, const char *value)
{
    o->json = strcmp(value, "json") == 0;
    return OPTION_GO_ON;
}

static OptionEnd set_dependency_file(Options *o, const char *value)
{
    o->dependencies = true;
    o->dependency_file = value;
    return OPTION_GO_ON;
}

/* One code, or all: as a page of Markdown, or objects of JSON, one a line. */
static OptionEnd run_explain(const Options *o)
{
    Text out = {0};
    DiagCode code = DIAG_COUNT;
    const char *value = o->asked;
    bool all = !value || strcmp(value, "all") == 0, known = all || diag_from_text(value, &code);
    if (known && o->json)
        diag_explain_json(&out, all ? NULL : &code);
    else if (all)
        diag_explain_all(&out);
    else if (known)
        diag_explain(&out, code);
    else
        complain("there is no error '%s'; csc --explain all lists them", value);
    if (known) known = write_bytes(NULL, out.data, out.len, 0);
    text_free(&out);
    return known ? OPTION_DONE : OPTION_WRONG;
}

static OptionEnd ask_explain(Options *o, const char *value)
{
    o->instead = run_explain;
    o->asked = value;
    return OPTION_GO_ON;
}

static OptionEnd unknown_pass(const char *name)
{
    Text all = {0};
    for (int i = 0; fd_pass_at(i); i++)
        text_printf(&all, "%s%s", i ? ", " : "", fd_pass_at(i)->name);
    complain("there is no pass '%s' (%s)", name, all.data);
    text_free(&all);
    return OPTION_WRONG;
}

static OptionEnd set_dump(Options *o, const char *value)
{
    o->emit = EMIT_FDAG;
    o->dump_after = value;
    return fd_pass_find(value) ? OPTION_GO_ON : unknown_pass(value);
}

/* Names with commas between them. */
static OptionEnd set_passes(Options *o, const char *value)
{
    OptionEnd end = OPTION_GO_ON;
    o->emit = EMIT_FDAG;
    o->passes.len = 0;
    for (const char *at = value; at && end == OPTION_GO_ON;) {
        Text name = {0};
        text_addn(&name, at, strcspn(at, ","));
        const FdPass *pass = fd_pass_find(name.data ? name.data : "");
        if (pass)
            vec_push(&o->passes, *pass);
        else
            end = unknown_pass(name.data ? name.data : "");
        text_free(&name);
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    vec_push(&o->passes, (FdPass){0});
    return end;
}

static OptionEnd set_seed(Options *o, const char *value)
{
    char *end;
    unsigned long seed = strtoul(value, &end, 10);
    o->host.cg.seed = (uint32_t)seed;
    if (*value >= '0' && *value <= '9' && !*end && seed <= INT32_MAX) return OPTION_GO_ON;
    complain("--schedule-seed=%s is no number", value);
    return OPTION_WRONG;
}

static OptionEnd set_parameters(Options *o, const char *value)
{
    size_t at = 0;
    o->host.cg.set = value;
    if (cg_set_is_right(value, &at)) return OPTION_GO_ON;
    const char *word = value + at;
    size_t name = strcspn(word, "= ,");
    for (int k = 0; k < cg_parameters(); k++) {
        const CgParameter *p = cg_parameter(k);
        if (strlen(p->name) != name || strncmp(p->name, word, name) != 0) continue;
        complain("--set=%s: %s is from %" PRId64 " to %" PRId64, value, p->name, p->least, p->most);
        return OPTION_WRONG;
    }
    complain("--set=%s: there is no parameter '%.*s'; csc --help=parameters lists them", value,
             (int)name, word);
    return OPTION_WRONG;
}

static OptionEnd set_schedule(Options *o, const char *value)
{
    o->schedule = value;
    return OPTION_GO_ON;
}

static OptionEnd set_tuned(Options *o, const char *value)
{
    o->tuned = value;
    return OPTION_GO_ON;
}

static OptionEnd set_against(Options *o, const char *value)
{
    o->against = value;
    return OPTION_GO_ON;
}

static OptionEnd set_html(Options *o, const char *value)
{
    o->html = value;
    return OPTION_GO_ON;
}

static bool read_seconds(const char *option, const char *value, unsigned *seconds)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    *seconds = (unsigned)n;
    if (*value >= '0' && *value <= '9' && !*end && n <= 86400) return true;
    complain("%s=%s is no number of seconds", option, value);
    return false;
}

static OptionEnd set_time(Options *o, const char *value)
{
    unsigned n;
    if (!read_seconds("--time", value, &n)) return OPTION_WRONG;
    o->seconds = (int)n;
    return OPTION_GO_ON;
}

static OptionEnd set_timeout(Options *o, const char *value)
{
    return read_seconds("--timeout", value, &o->timeout) ? OPTION_GO_ON : OPTION_WRONG;
}

static OptionEnd set_ranks(Options *o, const char *value)
{
    enum { MOST = 256 }; /* of runtime/ranks */
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    o->ranks = value;
    if (*value >= '0' && *value <= '9' && !*end && n >= 1 && n <= MOST) return OPTION_GO_ON;
    complain("-n %s is no number of ranks (1 to %d)", value, MOST);
    return OPTION_WRONG;
}

static OptionEnd version(Options *o, const char *value)
{
    (void)o, (void)value;
    static const char text[] = "csc " VERSION "\n";
    return write_bytes(NULL, text, sizeof text - 1, 0) ? OPTION_DONE : OPTION_WRONG;
}

static OptionEnd run_doctor(const Options *o)
{
    return doctor(o) ? OPTION_DONE : OPTION_WRONG;
}

static OptionEnd ask_doctor(Options *o, const char *value)
{
    (void)value;
    o->instead = run_doctor;
    return OPTION_GO_ON;
}

/* For programs that run (codegen/serve): the standard input is a socket. */
static OptionEnd run_serve(const Options *o)
{
    (void)o;
    Text shipped = {0};
    serve(0, write_shipped(&shipped, "csc.kept") ? shipped.data : NULL);
    text_free(&shipped);
    return OPTION_DONE;
}

static OptionEnd ask_serve(Options *o, const char *value)
{
    (void)value;
    o->instead = run_serve;
    return OPTION_GO_ON;
}

static OptionEnd help(Options *o, const char *value)
{
    Text out = {0};
    if (o->command && (!value || strcmp(value, "text") == 0))
        help_command(&out, o->command);
    else
        help_print(&out, value);
    bool ok = write_bytes(NULL, out.data, out.len, 0);
    text_free(&out);
    return ok ? OPTION_DONE : OPTION_WRONG;
}

#define FLAG(name, field, help)                                                                    \
    {                                                                                              \
        name, NULL, NULL, OPTION_FLAG, NULL, NULL, offsetof(Options, field), NULL, help            \
    }
#define EMIT(name, kind, help)                                                                     \
    {                                                                                              \
        name, NULL, NULL, OPTION_FLAG, NULL, set_emit, 0, kind, help                               \
    }
#define VALUE(name, form, value, choices, set, help)                                               \
    {                                                                                              \
        name, NULL, value, OPTION_##form, choices, set, 0, NULL, help                              \
    }

/* clang-format off */
static const Option table[] = {
    VALUE("-o", WORD, "FILE", NULL, set_output, "write the output to FILE"),
    EMIT("-c", "obj", "write an object file"),
    EMIT("-S", "asm", "write assembly"),
    EMIT("--check", "check", "report errors only; csc fmt: say which files are laid out otherwise"),
    VALUE("--emit", EQUALS, "KIND", "tokens ast types fdag dot schedule opencl native llvm asm obj kept", set_emit,
          "what a stage of the compiler makes, to standard output; asm, obj and kept (objects for csc.kept) to a file"),
    VALUE("--dump-after", EQUALS, "PASS", NULL, set_dump, "the graph of each evaluation as that pass of the kernel generator leaves it"),
    VALUE("--passes", EQUALS, "LIST", NULL, set_passes, "the graphs of evaluations after these passes, with commas between them"),
    FLAG("--lib", library, "a library for C: libNAME.so, or libNAME.a if -o says so, and libNAME.h"),
    FLAG("--python", python, "a module for Python: NAME.py, and libNAME.so beside it; both in a wheel if -o says so"),
    VALUE("-O", JOINED, "N", "0 1 2 3", set_level, "optimise host code (-O2)"),
    FLAG("-g", host.debug, "debugging information"),
    VALUE("-I", WORD, "DIR", NULL, add_folder, "look for modules in DIR too"),
    VALUE("--tile", EQUALS, "TILE", "auto 1x1 2x2 4x4", set_tile, "data mapping of kernels"),
    VALUE("--family", EQUALS, "NAME", "cpu gpu", set_family, "family of the embedded kernels"),
    VALUE("--set", EQUALS, "NAME=N,..", NULL, set_parameters, "parameters of schedules (--help=parameters)"),
    VALUE("--schedule", EQUALS, "FILE", NULL, set_schedule, "schedules to take, as --emit=schedule prints them; evaluations that are not in it have their own"),
    VALUE("--tuned", EQUALS, "FILE", NULL, set_tuned, "values of csc tune; none: not those beside the source (FILE.tune)"),
    VALUE("--time", EQUALS, "SECONDS", NULL, set_time, "csc tune: how long it searches (60); csc bench: how long a function is timed (3)"),
    VALUE("--against", EQUALS, "FILE", NULL, set_against, "csc bench: compare with what it wrote to FILE"),
    VALUE("--html", EQUALS, "FILE", NULL, set_html, "csc profile: a report with sources, time line and roofline, instead of the table"),
    VALUE("--native", EQUALS, "LEVELS", NULL, set_native, "kernels as machine code too: v2, v3, v4 of x86-64, zen4 (v4 of AMD), host (for this processor alone) or off (v3, and v4 or zen4 where csc runs on such)"),
    FLAG("--precise", host.cg.precise, "IEEE arithmetic per operation, reductions in a fixed order"),
    VALUE("-W", JOINED, "NAME", NULL, set_warning, "a warning on; no-NAME off; error, error=NAME: an error"),
    VALUE("--error-format", EQUALS, "FORMAT", "text json", set_format, "how errors are printed; json: one object a line"),
    FLAG("-MD", dependencies, "write the files that were read as a rule for make, beside the output"),
    VALUE("-MF", WORD, "FILE", NULL, set_dependency_file, "write that rule to FILE"),
    VALUE("--explain", NEXT, "CODE", NULL, ask_explain, "what an error means (CS2001, or all)"),
    EMIT("--explain=kernels", "kernels", "how each evaluation is computed, and why"),
    EMIT("--explain=ranks", "ranks", "what of each evaluation ranks divide, and what they send"),
    VALUE("--filter", EQUALS, "TEXT", NULL, set_filter, "csc test, bench: those whose names hold TEXT"),
    VALUE("--timeout", EQUALS, "SECONDS", NULL, set_timeout, "csc test: a test that takes longer is ended (60); 0: none is"),
    VALUE("-n", WORD, "RANKS", NULL, set_ranks, "csc run, watch, profile: so many processes run the program together (CS_RANKS)"),
    FLAG("-v", verbose, "say what is run and how long it takes"),
    FLAG("--json", json, "what a tool reads, as --error-format=json; also of --doctor and --explain"),
    VALUE("--serve", FLAG, NULL, NULL, ask_serve, "make kernels for a program that runs and has started this (CS_JIT)"),
    VALUE("--doctor", FLAG, NULL, NULL, ask_doctor, "what this machine has for C$, each device tried, and what to do about problems"),
    VALUE("--version", FLAG, NULL, NULL, version, "the version"),
    {"--help", "-h", "FORM", OPTION_MAYBE, "text man bash fish zsh parameters passes", help, 0, NULL, "this text; as a manual page; as what a shell completes; parameters of schedules; passes over graphs"},
    VALUE("--schedule-seed", EQUALS, "N", NULL, set_seed, NULL), /* for tests: docs/kernels.md */
};
/* clang-format on */

enum { OPTIONS = sizeof table / sizeof *table };

const Option *option_at(int i)
{
    return i < OPTIONS ? &table[i] : NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

static OptionEnd unknown_option(const char *arg)
{
    const char *known[OPTIONS];
    size_t n = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].name[1] == '-' && table[i].help) known[n++] = table[i].name;
    Text name = {0};
    text_addn(&name, arg, strcspn(arg, "="));
    const char *near = diag_nearest(name.data, known, n);
    complain("unknown option '%s'; %s%s%s", arg, near ? "did you mean '" : "csc --help lists them",
             near ? near : "", near ? "'?" : "");
    text_free(&name);
    return OPTION_WRONG;
}

static bool is_word(const Option *o)
{
    return o->form == OPTION_WORD || o->form == OPTION_JOINED;
}

/* Whether arg is that option; *value: what follows in the same word, or NULL. */
static bool matches(const Option *o, const char *arg, const char **value)
{
    *value = NULL;
    if (o->alias && strcmp(arg, o->alias) == 0) return true;
    size_t n = strlen(o->name);
    if (strncmp(arg, o->name, n) != 0) return false;
    if (is_word(o) && arg[n]) *value = arg + n;
    if ((o->form == OPTION_EQUALS || o->form == OPTION_MAYBE) && arg[n] == '=')
        *value = arg + n + 1;
    return *value || !arg[n];
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = choices; at; at = strchr(at, ' '), at = at ? at + 1 : NULL)
        if (n && strncmp(at, value, n) == 0 && (!at[n] || at[n] == ' ')) return true;
    return false;
}

static OptionEnd unknown_value(const Option *o, const char *value)
{
    Text all = {0};
    for (const char *c = o->choices; *c; c++) text_add(&all, *c == ' ' ? ", " : (char[]){*c, '\0'});
    complain("unknown %s%s%s (%s)", o->name, is_word(o) ? "" : "=", value, all.data);
    text_free(&all);
    return OPTION_WRONG;
}

static OptionEnd read_option(Options *options, int argc, char **argv, int *i)
{
    const Option *o = NULL;
    const char *value;
    for (int k = 0; k < OPTIONS && !o; k++)
        if (matches(&table[k], argv[*i], &value)) o = &table[k];
    if (!o) return unknown_option(argv[*i]);
    bool needs = is_word(o) || o->form == OPTION_EQUALS, wants = needs || o->form == OPTION_NEXT;
    bool another = *i + 1 < argc && (needs || argv[*i + 1][0] != '-');
    if (!value && wants && another) value = argv[++*i];
    if (!value && needs) {
        complain("'%s' needs an argument", o->name);
        return OPTION_WRONG;
    }
    if (value && o->choices && !is_choice(o->choices, value)) return unknown_value(o, value);
    if (o->set) return o->set(options, o->fixed ? o->fixed : value);
    *(bool *)((char *)options + o->flag) = true;
    return OPTION_GO_ON;
}

OptionEnd options_read(Options *o, CommandTakes takes, int argc, char **argv, int from)
{
    bool named = false; /* a "--" came: no more options */
    for (int i = from; i < argc; i++) {
        if (!named && strcmp(argv[i], "--") == 0) {
            named = true;
        } else if (!named && argv[i][0] == '-' && argv[i][1]) {
            OptionEnd end = read_option(o, argc, argv, &i);
            if (end != OPTION_GO_ON) return end;
        } else if (takes == TAKES_NOTHING) {
            complain("'%s': this command takes no files", argv[i]);
            return OPTION_WRONG;
        } else if (takes == TAKES_FILES) {
            if (!o->input) o->input = argv[i];
            vec_push(&o->files, argv[i]);
        } else {
            o->input = argv[i];
            o->arguments = argv + i;
            break;
        }
    }
    if ((o->library || o->python) && !o->levels_asked && o->levels & 1u << CG_NATIVE_QUICK)
        o->levels ^= 1u << CG_NATIVE_QUICK | 1u << CG_NATIVE_V3; /* it is handed on */
    if (o->instead) return o->instead(o);
    if (o->input || takes == TAKES_NOTHING) return OPTION_GO_ON;
    complain("no input file; csc --help shows how to call it");
    return OPTION_WRONG;
}

void options_free(Options *o)
{
    vec_free(&o->include);
    vec_free(&o->files);
    vec_free(&o->passes);
}
