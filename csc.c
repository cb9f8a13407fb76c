/* csc: the driver. Options, and the pipeline as one list of calls (compile, below).
 * Each stage reads and extends one Job; a stage that fails has said why.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/process.h"
#include "base/source.h"
#include "base/text.h"
#include "base/vec.h"
#include "codegen/host/host.h"
#include "codegen/kernel/codegen.h"
#include "codegen/native/native.h"
#include "fdag/fdag.h"
#include "lexer/lexer.h"
#include "parser/parser.h"
#include "sema/lower/lower.h"
#include "sema/sema.h"

#define VERSION "0.1.0"

typedef enum Emit {
    EMIT_PROGRAM,
    EMIT_CHECK,
    EMIT_TOKENS,
    EMIT_AST,
    EMIT_TYPES,
    EMIT_FDAG,
    EMIT_DOT,
    EMIT_SCHEDULE,
    EMIT_EXPLAIN, /* --explain=kernels */
    EMIT_OPENCL,
    EMIT_NATIVE,
    EMIT_LLVM,
    EMIT_ASM,
    EMIT_OBJ
} Emit;

static const struct {
    const char *name;
    Emit emit;
} emit_names[] = {{"tokens", EMIT_TOKENS}, {"ast", EMIT_AST},       {"types", EMIT_TYPES},
                  {"fdag", EMIT_FDAG},     {"dot", EMIT_DOT},       {"schedule", EMIT_SCHEDULE},
                  {"opencl", EMIT_OPENCL}, {"native", EMIT_NATIVE}, {"llvm", EMIT_LLVM},
                  {"asm", EMIT_ASM},       {"obj", EMIT_OBJ}};

typedef struct Options {
    const char *input, *output;
    Emit emit;
    unsigned levels;         /* of native kernels: a bit a CgNativeLevel */
    bool run, verbose, json; /* json: how messages are printed */
    DiagLevel warnings[DIAG_COUNT];
    char **run_args;
    HostOptions host;
    VEC(const char *) include; /* -I folders, searched for modules */
} Options;

typedef struct Job {
    const Options *opt;
    Arena *arena;
    Interner *names;
    Sources *sources;
    Diags *diags;
    Fd *fd;
    uint32_t file;
    Ast *unit;
    SemaResult *sema;
    VEC(HostKernel) kernels;
    Native *native;
    HostOptions host;
    HostModule *module;
    Text out;    /* what --emit prints */
    int program; /* of `csc run`: the file to be run, open */
} Job;

/* ---- messages ----------------------------------------------------------------------------- */

static void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("csc: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

static void out_of_memory(size_t bytes)
{
    (void)bytes;
    process_remove_leftovers();
    fputs("csc: out of memory\n", stderr);
    _exit(1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- stages ------------------------------------------------------------------------------- */

static bool read_source(Job *j)
{
    const char *why = NULL;
    int file = sources_load(j->sources, j->opt->input, &why);
    if (file < 0) {
        complain("cannot read '%s': %s", j->opt->input, why);
        return false;
    }
    j->file = (uint32_t)file;
    return true;
}

static bool parse(Job *j)
{
    if (j->opt->emit == EMIT_TOKENS) {
        lexer_print_tokens(&j->out, j->sources, j->file, j->diags, j->names);
        return diags_errors(j->diags) == 0;
    }
    j->unit = parse_program(j->sources, j->file, j->opt->include.data, j->opt->include.len,
                            j->diags, j->names, j->arena);
    if (j->opt->emit == EMIT_AST) {
        j->unit->unit.imported.len = 0; /* the file's own */
        ast_print(&j->out, j->unit, j->sources);
    }
    return j->opt->emit != EMIT_AST || diags_errors(j->diags) == 0;
}

/* Runs on what the parser recovered too, so that one run reports every error of the file; but who
 * knows what constructs of C# declare. */
static bool analyse(Job *j)
{
    if (diags_has(j->diags, DIAG_FOREIGN)) return false;
    j->sema = sema_unit(j->unit, j->sources, j->diags, j->names, j->arena, j->fd);
    if (diags_errors(j->diags)) return false;
    if (j->opt->emit == EMIT_TYPES) sema_print_types(&j->out, j->sema, j->sources);
    if (j->opt->emit == EMIT_FDAG) lower_print_graphs(&j->out, j->sema, j->sources);
    if (j->opt->emit == EMIT_DOT) lower_print_dot(&j->out, j->sema, j->sources);
    return true;
}

static void print_schedule(Job *j, const SemaEvaluation *e, const Text *schedule)
{
    int line, col;
    sources_position(j->sources, e->loc.file, e->loc.begin, &line, &col);
    if (j->opt->emit == EMIT_SCHEDULE) {
        text_printf(&j->out, "evaluation %d:%d\n", line, col);
        text_addn(&j->out, schedule->data, schedule->len);
        return;
    }
    const Source *s = sources_get(j->sources, e->loc.file);
    const char *text = s->text + e->loc.begin;
    text_printf(&j->out, "%s:%d:%d: %.*s\n", s->path, line, col, (int)strcspn(text, "\r\n"), text);
    cg_explain(schedule->data, &j->out);
}

/* Native forms of a text, within the budget: a program with many kernels compiles as fast as one
 * with few. */
typedef struct NativeForms {
    Job *job;
    HostKernel *kernel;
} NativeForms;

enum { NATIVE_BUDGET = 20000 }; /* native_size, of all texts */

static void add_native(void *ctx, const CgCode *code)
{
    NativeForms *f = ctx;
    Job *j = f->job;
    const char *error, *const *names;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    f->kernel->nfunctions = plan ? cg_plan_kernels(plan, &names) : 0;
    cg_plan_free(plan);
    for (int level = 0; level < CG_NATIVE_LEVELS; level++)
        if (j->opt->levels & 1u << level && native_size(j->native) < NATIVE_BUDGET)
            f->kernel->code[level] = native_add(j->native, (CgNativeLevel)level, code);
}

/* Kernels of every evaluation that is known now; the rest is lowered when it is met. */
static bool lower_kernels(Job *j)
{
    bool program = j->opt->emit == EMIT_PROGRAM || j->opt->emit == EMIT_OBJ ||
                   j->opt->emit == EMIT_ASM || j->opt->emit == EMIT_NATIVE;
    if (program && j->opt->levels) j->native = native_new();
    for (int i = 0; i < j->sema->nevaluations; i++) {
        HostKernel k = {0};
        NativeForms forms = {j, &k};
        const SemaEvaluation *e = &j->sema->evaluations[i];
        FdError error = {0};
        char *text = NULL;
        bool asked = j->opt->emit == EMIT_SCHEDULE || j->opt->emit == EMIT_EXPLAIN;
        Text schedule = {0}, *printed = asked ? &schedule : NULL;
        const CgAlso also = {
            .printed = printed, .take = j->native ? add_native : NULL, .ctx = &forms};
        CgStatus status = cg_lower_also(e->graph, &j->opt->host.cg, &also, &text, &error);
        if (printed && status != CG_USER_ERROR) print_schedule(j, e, &schedule);
        text_free(&schedule);
        if (status == CG_USER_ERROR) diag(j->diags, e->loc, DIAG_KERNEL, "%s", error.message);
        if (status != CG_OK) {
            mem_free(text);
            continue;
        }
        k.key = cg_key(fd_key(j->fd, e->graph, NULL), &j->opt->host.cg);
        k.text = arena_strndup(j->arena, text, strlen(text));
        mem_free(text);
        vec_push(&j->kernels, k);
        if (j->opt->emit == EMIT_OPENCL) text_add(&j->out, k.text);
    }
    if (j->opt->emit == EMIT_NATIVE && j->native) native_print(&j->out, j->native);
    return diags_errors(j->diags) == 0;
}

static bool build_host(Job *j)
{
    j->host = j->opt->host;
    j->host.native = j->native;
    j->module = host_build(j->sema, j->sources, j->kernels.data, (int)j->kernels.len, &j->host);
    if (j->opt->emit == EMIT_LLVM) host_print_llvm(&j->out, j->module);
    if (j->opt->emit == EMIT_ASM) host_print_asm(&j->out, j->module);
    if (j->opt->emit == EMIT_OBJ) host_print_object(&j->out, j->module);
    return true;
}

/* ---- output ------------------------------------------------------------------------------- */

/* libcsrt.a lies in build/ beside an uninstalled csc, in ../lib/csc of an installed one. */
static const char *runtime_library(Job *j)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (n > 0) {
        self[n] = '\0';
        slash = strrchr(self, '/');
    }
    if (!slash) return NULL;
    *slash = '\0';
    const char *places[] = {"build/libcsrt.a", "libcsrt.a", "../lib/csc/libcsrt.a"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(j->arena, "%s/%s", self, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return NULL;
}

/* The input's name without folder and without .cs$, with a new suffix: gcc's default outputs. */
static const char *default_output(Job *j, const char *suffix)
{
    const char *base = strrchr(j->opt->input, '/');
    base = base ? base + 1 : j->opt->input;
    const char *dot = strrchr(base, '.');
    return arena_printf(j->arena, "%.*s%s", dot ? (int)(dot - base) : (int)strlen(base), base,
                        suffix);
}

/* path NULL or "-": standard output. */
static bool write_bytes(const char *path, const void *data, size_t bytes, mode_t mode)
{
    bool standard = !path || strcmp(path, "-") == 0;
    Output o = {.fd = standard ? dup(STDOUT_FILENO) : -1};
    int err = standard ? (o.fd < 0 ? errno : 0) : output_open(&o, path, mode);
    if (!err) err = output_write(&o, data, bytes);
    if (!err) err = output_finish(&o, false);
    output_end(&o);
    const char *why = err == EBADF ? "it is closed" : strerror(err);
    if (err && standard) complain("cannot write to standard output: %s", why);
    if (err && !standard) complain("cannot write '%s': %s", path, why);
    return !err;
}

static bool copy_program(int program, const char *path)
{
    char block[1 << 16];
    ssize_t n;
    Text bytes = {0};
    while ((n = read(program, block, sizeof block)) > 0) text_addn(&bytes, block, (size_t)n);
    if (n < 0) complain("cannot read the program: %s", strerror(errno));
    bool ok = n == 0 && write_bytes(path, bytes.data, bytes.len, 0777);
    text_free(&bytes);
    return ok;
}

static bool write_program(Job *j, const char *path)
{
    const char *library = runtime_library(j);
    if (!library) {
        complain("libcsrt.a is not beside csc: run make, or make install");
        return false;
    }
    char *error = NULL;
    int program = host_link(j->module, library, j->opt->verbose, &error);
    if (program < 0) complain("%s", error);
    mem_free(error);
    if (program < 0) return false;
    if (j->opt->run) {
        j->program = program;
        return true;
    }
    bool ok = copy_program(program, path);
    close(program);
    return ok;
}

static bool write_output(Job *j)
{
    const Options *o = j->opt;
    if (o->emit == EMIT_CHECK) return true;
    const char *path = o->output;
    if (!path && o->emit == EMIT_PROGRAM) path = default_output(j, "");
    if (!path && o->emit == EMIT_ASM) path = default_output(j, ".s");
    if (!path && o->emit == EMIT_OBJ) path = default_output(j, ".o");
    if (path && !o->run && sources_is_loaded(j->sources, path)) {
        complain("output file would overwrite input: '%s'; -o names another", path);
        return false;
    }
    if (o->emit == EMIT_PROGRAM) return write_program(j, path);
    return write_bytes(path, j->out.data ? j->out.data : "", j->out.len, 0666);
}

/* ---- the pipeline -------------------------------------------------------------------------- */

typedef bool Stage(Job *);
typedef struct Step {
    const char *name;
    Stage *run;
    Emit last; /* --emit values up to this one need nothing further */
} Step;

static const Step pipeline[] = {{"read", read_source, EMIT_PROGRAM},
                                {"parse", parse, EMIT_AST},
                                {"analyse", analyse, EMIT_DOT},
                                {"kernels", lower_kernels, EMIT_NATIVE},
                                {"host", build_host, EMIT_OBJ}};

static bool compile(const Options *o, int *program)
{
    Job j = {.opt = o,
             .arena = arena_new(),
             .names = interner_new(),
             .sources = sources_new(),
             .fd = fd_new()};
    j.diags = diags_new(j.sources);
    diags_set_levels(j.diags, o->warnings);
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof pipeline / sizeof *pipeline; i++) {
        double start = seconds();
        ok = pipeline[i].run(&j);
        if (o->verbose)
            fprintf(stderr, "csc: %-8s %7.1f ms\n", pipeline[i].name, (seconds() - start) * 1e3);
        /* --check stops where errors can no longer come up; other outputs as soon as they are made.
         */
        if (o->emit == EMIT_CHECK ? pipeline[i].last == EMIT_NATIVE
                                  : o->emit != EMIT_PROGRAM && o->emit <= pipeline[i].last)
            break;
    }
    (o->json ? diags_print_json : diags_print)(j.diags, stderr);
    if (ok) {
        double start = seconds();
        ok = write_output(&j);
        if (o->verbose) fprintf(stderr, "csc: %-8s %7.1f ms\n", "write", (seconds() - start) * 1e3);
    }
    *program = j.program;
    if (j.module) host_free(j.module);
    native_free(j.native);
    vec_free(&j.kernels);
    text_free(&j.out);
    diags_free(j.diags);
    fd_free(j.fd);
    sources_free(j.sources);
    interner_free(j.names);
    arena_free(j.arena);
    return ok;
}

/* csc run file.cs$ args: this process becomes the program, so its signals, its exit code and the
 * death that it dies are the program's; nothing is left to be removed. */
static int compile_and_run(const Options *o)
{
    int program;
    if (!compile(o, &program)) return 1;
    fexecve(program, o->run_args, environ);
    complain("cannot run the program: %s%s", strerror(errno),
             errno == EACCES ? "; TMPDIR is to name a folder of programs that may be run" : "");
    return 1;
}

/* ---- options ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
static const unsigned native_default = 1u << CG_NATIVE_V3;
#else
static const unsigned native_default = 0;
#endif

static const char usage[] =
    "usage: csc [options] file.cs$ [-o program]      compile\n"
    "       csc run [options] file.cs$ [arguments]   compile to a temporary file and run\n"
    "\n"
    "  -o FILE         write the output to FILE\n"
    "  -c              write an object file\n"
    "  --check         report errors only\n"
    "  --emit=KIND     tokens, ast, types, fdag, dot, schedule, opencl, native, llvm (to standard "
    "output), asm, obj\n"
    "  -O0 .. -O3      optimise host code (-O2)\n"
    "  -g              debugging information\n"
    "  -I DIR          look for modules in DIR too\n"
    "  --tile=TILE     data mapping of kernels: auto, 1x1, 2x2, 4x4\n"
    "  --family=NAME   family of the embedded kernels: cpu, gpu\n"
    "  --native=LEVELS kernels as machine code too: v2, v3, v4 of x86-64, or off (v3)\n"
    "  --precise       IEEE arithmetic per operation, reductions in a fixed order\n"
    "  -Wno-NAME, -WNAME, -Werror, -Werror=NAME   warnings off, on, errors\n"
    "  --error-format=FORMAT   text, json (one object a line)\n"
    "  --explain CODE  what an error means (CS2001, or all)\n"
    "  --explain=kernels   how each evaluation is computed, and why\n"
    "  -v              say what is run and how long it takes\n"
    "  --version, --help\n"
    "  --              what follows is no option, also if it begins with -\n";

static bool print(const char *text)
{
    return write_bytes(NULL, text, strlen(text), 0);
}

/* If arg is NAME=value, the value; else NULL. */
static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static bool emit_from_text(const char *text, Emit *out)
{
    for (size_t i = 0; i < sizeof emit_names / sizeof *emit_names; i++)
        if (strcmp(text, emit_names[i].name) == 0) {
            *out = emit_names[i].emit;
            return true;
        }
    complain("unknown --emit=%s (tokens, ast, types, fdag, dot, schedule, opencl, native, "
             "llvm, asm, obj)",
             text);
    return false;
}

/* The argument of -X: the rest of the word or the next word. NULL after a complaint. */
static const char *argument(int argc, char **argv, int *i)
{
    if (argv[*i][2]) return argv[*i] + 2;
    if (*i + 1 < argc) return argv[++*i];
    complain("'%s' needs an argument", argv[*i]);
    return NULL;
}

static bool set_warning(Options *o, const char *text)
{
    if (diag_set_warning(o->warnings, text)) return true;
    Arena *a = arena_new();
    const char *near = diag_nearest_warning(a, text);
    complain("there is no warning '-W%s'%s%s%s", text, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    arena_free(a);
    return false;
}

/* --explain: one code, or all as a page of Markdown. */
static bool explain(const char *text)
{
    Text out = {0};
    DiagCode code;
    bool all = strcmp(text, "all") == 0, known = all || diag_from_text(text, &code);
    if (all)
        diag_explain_all(&out);
    else if (!known)
        complain("there is no error '%s'; csc --explain all lists them", text);
    else
        diag_explain(&out, code);
    if (known) known = write_bytes(NULL, out.data, out.len, 0);
    text_free(&out);
    return known;
}

/* off, or levels with commas between them */
static bool native_levels(Options *o, const char *text)
{
    o->levels = 0;
    for (const char *at = text, *end; strcmp(text, "off") != 0; at = end + 1) {
        CgNativeLevel level;
        end = strchrnul(at, ',');
        if (!cg_native_level_from_text(at, (size_t)(end - at), &level)) {
            complain("unknown --native=%s (v2, v3, v4, several with commas, off)", text);
            return false;
        }
        o->levels |= 1u << level;
        if (!*end) break;
    }
    return true;
}

static bool unknown_option(const char *arg)
{
    static const char *const known[] = {"--check",  "--precise",     "--emit",    "--tile",
                                        "--family", "--native",      "--explain", "--version",
                                        "--help",   "--error-format"};
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    const char *near = diag_nearest(name, known, sizeof known / sizeof *known);
    complain("unknown option '%s'; %s%s%s", arg, near ? "did you mean '" : "csc --help lists them",
             near ? near : "", near ? "'?" : "");
    return false;
}

static bool parse_option(Options *o, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value;
    if (strcmp(arg, "--check") == 0) return o->emit = EMIT_CHECK, true;
    if (strcmp(arg, "-c") == 0) return o->emit = EMIT_OBJ, true;
    if (strcmp(arg, "-S") == 0) return o->emit = EMIT_ASM, true;
    if (strcmp(arg, "-g") == 0) return o->host.debug = true;
    if (strcmp(arg, "-v") == 0) return o->verbose = true;
    if (strcmp(arg, "--precise") == 0) return o->host.cg.precise = true;
    if (arg[1] == 'O' && arg[2] >= '0' && arg[2] <= '3' && !arg[3])
        return o->host.opt_level = arg[2] - '0', true;
    if (arg[1] == 'W') return (value = argument(argc, argv, i)) && set_warning(o, value);
    if (arg[1] == 'o') return (o->output = argument(argc, argv, i)) != NULL;
    if (arg[1] == 'I') {
        if (!(value = argument(argc, argv, i))) return false;
        vec_push(&o->include, value);
        return true;
    }
    if (strcmp(arg, "--explain=kernels") == 0) return o->emit = EMIT_EXPLAIN, true;
    if ((value = value_of(arg, "--emit"))) return emit_from_text(value, &o->emit);
    if ((value = value_of(arg, "--tile"))) {
        if (cg_tile_from_text(value, &o->host.cg.tile)) return true;
        complain("unknown --tile=%s (auto, 1x1, 2x2, 4x4)", value);
        return false;
    }
    if ((value = value_of(arg, "--family"))) {
        if (cg_family_from_text(value, &o->host.cg.family)) return true;
        complain("unknown --family=%s (cpu, gpu)", value);
        return false;
    }
    if ((value = value_of(arg, "--schedule-seed"))) { /* for tests: docs/kernels.md */
        char *end;
        unsigned long seed = strtoul(value, &end, 10);
        o->host.cg.seed = (uint32_t)seed;
        if (*value >= '0' && *value <= '9' && !*end && seed <= INT32_MAX) return true;
        complain("--schedule-seed=%s is no number", value);
        return false;
    }
    if ((value = value_of(arg, "--native"))) return native_levels(o, value);
    if ((value = value_of(arg, "--error-format"))) {
        o->json = strcmp(value, "json") == 0;
        if (o->json || strcmp(value, "text") == 0) return true;
        complain("unknown --error-format=%s (text, json)", value);
        return false;
    }
    return unknown_option(arg);
}

int main(int argc, char **argv)
{
    Options o = {.emit = EMIT_PROGRAM, .levels = native_default, .host = {.opt_level = 2}};
    int i = 1;
    bool named = false; /* a "--" came: no more options */
    process_begin(NULL);
    mem_on_failure(out_of_memory);
    if (i < argc && strcmp(argv[i], "run") == 0) {
        o.run = true;
        i++;
    }
    for (; i < argc; i++) {
        if (!named && strcmp(argv[i], "--help") == 0) return !print(usage);
        if (!named && strcmp(argv[i], "--version") == 0) return !print("csc " VERSION "\n");
        if (!named && strcmp(argv[i], "--explain") == 0)
            return !explain(i + 1 < argc ? argv[i + 1] : "all");
        if (!named && strcmp(argv[i], "--") == 0) {
            named = true;
        } else if (!named && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(&o, argc, argv, &i)) return 1;
        } else if (!o.input) {
            o.input = argv[i];
            if (o.run) break; /* the rest is the program's */
        } else {
            complain("one file at a time: '%s' after '%s'", argv[i], o.input);
            return 1;
        }
    }
    if (!o.input) {
        complain("no input file; csc --help shows how to call it");
        return 1;
    }
    o.host.program = o.input;
    int code;
    if (o.run && o.emit == EMIT_PROGRAM) {
        o.run_args = argv + i;
        code = compile_and_run(&o);
    } else {
        int none;
        code = compile(&o, &none) ? 0 : 1;
    }
    vec_free(&o.include);
    return code;
}
