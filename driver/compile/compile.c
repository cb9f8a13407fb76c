/* The pipeline as one list of calls (compile, below). Each stage reads and extends one Job (job.h); a
 * stage that fails has said why. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../base/mem.h"
#include "../../lexer/lexer.h"
#include "../../parser/parser.h"
#include "../../sema/lower/lower.h"
#include "../message.h"
#include "../session/entry.h"
#include "../write.h"
#include "compile.h"
#include "evaluations.h"
#include "job.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool read_source(Job *j)
{
    const char *why = NULL;
    const Options *o = j->opt;
    int file = o->text ? sources_add(j->sources, o->input, o->text, strlen(o->text))
                       : sources_load(j->sources, o->input, &why);
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
    const Options *o = j->opt;
    if (o->entry) {
        j->unit = entry_parse(o->entry, o, j->sources, j->file, j->diags, j->names, j->arena);
        return diags_errors(j->diags) == 0;
    }
    ParseProgram program = {.folders = o->include.data, .nfolders = o->include.len};
    if (o->files.len > 1) {
        program.others = o->files.data + 1;
        program.nothers = o->files.len - 1;
    }
    j->unit = parse_program(j->sources, j->file, &program, j->diags, j->names, j->arena);
    j->unit->unit.library = j->library != NULL;
    j->unit->unit.debug = o->host.debug;
    if (j->opt->emit == EMIT_AST) {
        j->unit->unit.imported.len = 0; /* the file's own */
        ast_print(&j->out, j->unit, j->sources);
    }
    return j->opt->emit != EMIT_AST || diags_errors(j->diags) == 0;
}

static bool has_pass(const FdPass *list, const char *name)
{
    while (list->name && strcmp(list->name, name) != 0) list++;
    return list->name;
}

/* As lowering leaves them, or after the passes that are asked for. */
static bool print_graphs(Job *j)
{
    const Options *o = j->opt;
    const FdPass *list = o->host.cg.precise ? fd_precise_passes : fd_back_passes;
    FdError error = {0};
    Loc loc = {0};
    if (o->passes.len == 0 && !o->dump_after) {
        lower_print_graphs(&j->out, j->sema, j->sources);
        return true;
    }
    if (o->passes.len > 0)
        list = o->passes.data;
    else if (!has_pass(list, o->dump_after)) /* one of those that have run */
        list = fd_front_passes;
    if (!lower_print_passes(&j->out, j->sema, j->sources, list, o->dump_after, &error, &loc))
        diag(j->diags, loc, DIAG_KERNEL, "%s", error.message);
    return diags_errors(j->diags) == 0;
}

/* Runs on what the parser recovered too, so that one run reports every error of the file; but who
 * knows what constructs of C# declare. */
static bool analyse(Job *j)
{
    if (diags_has(j->diags, DIAG_FOREIGN)) return false;
    j->sema = sema_unit(j->unit, j->sources, j->diags, j->names, j->arena, j->fd);
    if (diags_errors(j->diags)) return false;
    if (j->opt->entry) entry_checked(j->opt->entry, j->sema);
    if (j->opt->emit == EMIT_TYPES) sema_print_types(&j->out, j->sema, j->sources);
    if (j->opt->emit == EMIT_FDAG) return print_graphs(j);
    if (j->opt->emit == EMIT_DOT) lower_print_dot(&j->out, j->sema, j->sources);
    return true;
}

static bool build_host(Job *j)
{
    j->host = j->opt->host;
    j->host.objects = j->objects.objects;
    j->host.library = j->library ? library_name(j->library) : NULL;
    j->host.stops = j->opt->python || j->host.session;
    j->host.tuned = j->tuned;
    Text self = {0};
    if (j->opt->emit == EMIT_PROGRAM && j->opt->levels && write_self(&self))
        j->host.compiler = arena_strndup(j->arena, self.data, self.len);
    text_free(&self);
    j->module = host_build(j->sema, j->sources, j->kernels.data, (int)j->kernels.len, &j->host);
    if (j->opt->emit == EMIT_KEPT) objects_print_store(j->objects.objects, &j->out);
    if (j->opt->emit == EMIT_LLVM) host_print_llvm(&j->out, j->module);
    if (j->opt->emit == EMIT_ASM) host_print_asm(&j->out, j->module);
    if (j->opt->emit == EMIT_OBJ) host_print_object(&j->out, j->module);
    return true;
}

/* ---- output ------------------------------------------------------------------------------- */

/* Names in rules of make: $, spaces and # are special there. */
static void add_name(Text *out, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (*c == '$') text_add(out, "$");
        if (*c == ' ' || *c == '#') text_add(out, "\\");
        text_addn(out, c, 1);
    }
}

/* -MD: `target: file file ..` */
static bool write_dependencies(Job *j, const char *target)
{
    const char *path = j->opt->dependency_file;
    Text rule = {0};
    add_name(&rule, target);
    text_add(&rule, ":");
    for (uint32_t i = 0; i < sources_count(j->sources); i++)
        if (sources_was_loaded(j->sources, i)) {
            text_add(&rule, " ");
            add_name(&rule, sources_get(j->sources, i)->path);
        }
    text_add(&rule, "\n");
    if (!path) path = arena_printf(j->arena, "%s.d", target);
    bool ok = write_bytes(path, rule.data, rule.len, 0666);
    text_free(&rule);
    return ok;
}

static bool write_output(Job *j)
{
    const Options *o = j->opt;
    if (o->emit == EMIT_CHECK) return true;
    if (j->library && o->emit == EMIT_PROGRAM) {
        if (j->program) complain("a library is no program that can be run");
        if (j->program || (o->dependencies && !write_dependencies(j, library_path(j->library))))
            return false;
        return library_write(j->library, j->module, j->sema->nexports, j->sources);
    }
    const char *suffix = o->emit == EMIT_ASM    ? ".s"
                         : o->emit == EMIT_OBJ  ? ".o"
                         : o->emit == EMIT_KEPT ? ".kept"
                                                : "";
    const char *usual = write_default(j->arena, o->input, suffix), *path = o->output;
    if (!path && (*suffix || o->emit == EMIT_PROGRAM)) path = usual;
    if (path && !j->program && sources_is_loaded(j->sources, path)) {
        complain("output file would overwrite input: '%s'; -o names another", path);
        return false;
    }
    if (o->dependencies && !write_dependencies(j, path && strcmp(path, "-") != 0 ? path : usual))
        return false;
    if (o->emit != EMIT_PROGRAM)
        return write_bytes(path, j->out.data ? j->out.data : "", j->out.len, 0666);
    int program = write_linked(j->module,
                               o->host.process   ? HOST_LINK_PROCESS
                               : o->host.session ? HOST_LINK_ENTRY
                                                 : HOST_LINK_PROGRAM,
                               o->verbose);
    if (program < 0) return false;
    if (j->program) return *j->program = program, true;
    bool ok = write_program(program, path, 0777);
    close(program);
    return ok;
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
                                {"kernels", evaluations_lower, EMIT_NATIVE},
                                {"host", build_host, EMIT_OBJ}};

bool compile(const Options *o, int *program)
{
    Job j = {.opt = o,
             .arena = arena_new(),
             .names = interner_new(),
             .sources = sources_new(),
             .fd = fd_new(),
             .program = program};
    bool library = o->library || o->python, ok = !library || (j.library = library_new(j.arena, o));
    j.diags = diags_new(j.sources);
    diags_set_levels(j.diags, o->warnings);
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
    if (j.module) host_free(j.module);
    objects_free(j.objects.objects);
    for (size_t i = 0; i < j.natives.len; i++) native_free(j.natives.data[i].native);
    vec_free(&j.natives);
    vec_free(&j.objects.functions);
    vec_free(&j.kernels);
    text_free(&j.out);
    diags_free(j.diags);
    fd_free(j.fd);
    sources_free(j.sources);
    interner_free(j.names);
    arena_free(j.arena);
    return ok;
}
