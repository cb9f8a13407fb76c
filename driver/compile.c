/* The pipeline as one list of calls (compile, below). Each stage reads and extends one Job; a stage
 * that fails has said why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/intern.h"
#include "../base/mem.h"
#include "../base/source.h"
#include "../base/text.h"
#include "../base/vec.h"
#include "../codegen/host/host.h"
#include "../codegen/kernel/codegen.h"
#include "../codegen/native/native.h"
#include "../fdag/fdag.h"
#include "../lexer/lexer.h"
#include "../parser/parser.h"
#include "../sema/lower/lower.h"
#include "../sema/sema.h"
#include "compile.h"
#include "explain.h"
#include "library.h"
#include "message.h"
#include "schedules.h"
#include "session/entry.h"
#include "tuned.h"
#include "write.h"

typedef struct Made { /* a native form, and what it is of */
    const char *text;
    CgNativeLevel level;
    bool precise;
    const bool *runs; /* which kernels have code */
    int nkernels;
    Native *native;
} Made;

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
    NativeObjects objects; /* machine code on its way; NULL: none is made */
    VEC(Made) natives;
    size_t native_size[CG_NATIVE_LEVELS]; /* of all of them */
    const char *tuned;                    /* HostOptions.tuned */
    Schedules *schedules;                 /* --schedule; NULL: none */
    HostOptions host;
    HostModule *module;
    Text out;         /* what --emit prints */
    Library *library; /* what is to be made instead of a program, or NULL */
    int *program;     /* where the linked one goes, or NULL: into a file */
} Job;

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

/* The schedules to take, NULL: of recipes, by evaluation. The program has their names as it has values
 * of csc tune, so that it finds the kernels that are made by them. False after a message. */
static bool take_schedules(Job *j, CgReading **taken)
{
    Schedules *all;
    if (!schedules_load(j->opt, j->arena, &all)) return false;
    j->schedules = all;
    Text lines = {0};
    if (j->tuned) text_add(&lines, j->tuned);
    for (int i = 0; i < j->sema->nevaluations; i++) {
        const SemaEvaluation *e = &j->sema->evaluations[i];
        int line, col;
        FdOrder order = {0};
        const char *name;
        sources_position(j->sources, e->loc.file, e->loc.begin, &line, &col);
        taken[i] = schedules_take(all, line, col, &name);
        if (taken[i])
            cg_tuned_add(&lines, fd_key(j->fd, e->graph, &order), j->opt->host.cg.family, name);
    }
    if (all) j->tuned = arena_strndup(j->arena, lines.data ? lines.data : "", lines.len);
    text_free(&lines);
    return schedules_used(all);
}

static void print_schedule(Job *j, const SemaEvaluation *e, const Text *schedule)
{
    int line, col;
    if (j->opt->emit == EMIT_SCHEDULE) {
        sources_position(j->sources, e->loc.file, e->loc.begin, &line, &col);
        text_printf(&j->out, "evaluation %d:%d\n", line, col);
        text_addn(&j->out, schedule->data, schedule->len);
        return;
    }
    explain_place(j->sources, e, &j->out);
    cg_explain(schedule->data, &j->out);
}

/* Native forms of a text, within the budget unless levels are asked for: a program with many kernels
 * compiles as fast as one with few. */
typedef struct NativeForms {
    Job *job;
    HostKernel *kernel;
    const SemaEvaluation *evaluation;
    FdOrder order; /* of its graph */
} NativeForms;

/* native_size, of all texts at a level: 0.5 s on two cores; and for short ones, of which each takes some milliseconds: without
 * its sum a program with two products would wait for a device. Turns of loops come last, and run longest. */
enum {
    NATIVE_BUDGET = 50000,
    NATIVE_BUDGET_SHORT = 60000,
    NATIVE_BUDGET_TURNS = 120000,
    NATIVE_SHORT = 8192
};

/* Of which kernels of the plan is it foreseen that they may run? */
static const bool *foreseen(const NativeForms *f, const CgPlan *plan, CgNativeLevel level)
{
    const SemaEvaluation *e = f->evaluation;
    const char *const *names;
    int n = cg_plan_kernels(plan, &names);
    Arena *arena = f->job->arena;
    bool *runs = arena_array(arena, bool, n + 1), *some = arena_array(arena, bool, n + 1);
    FdKnown *slots = arena_array(arena, FdKnown, f->order.nslots + 1);
    const CgDevice device = cg_native_device(level, 1);
    for (int way = 0; way < e->nknown; way++) {
        for (int k = 0; k < f->order.nslots; k++) slots[k] = e->known[way][f->order.slots[k]];
        cg_plan_reach(plan, &device, slots, some);
        for (int k = 0; k < n; k++) runs[k] = runs[k] || some[k];
    }
    for (int k = 0; k < n; k++) runs[k] = runs[k] || e->nknown == 0;
    return runs;
}

static bool has_all(const Made *m, const bool *runs)
{
    bool all = true;
    for (int k = 0; k < m->nkernels; k++) all = all && (m->runs[k] || !runs[k]);
    return all;
}

/* Evaluations with other keys may have the same text: then one form does. */
static const char *const *native_form(Job *j, CgNativeLevel level, const CgCode *code,
                                      const CgPlan *plan, const bool *runs)
{
    const char *const *names;
    bool precise = code->options->precise;
    for (size_t i = 0; i < j->natives.len; i++) {
        const Made *m = &j->natives.data[i];
        if (m->level == level && m->precise == precise && strcmp(m->text, code->text) == 0 &&
            has_all(m, runs))
            return native_functions(m->native);
    }
    const NativeOptions options = {.level = level,
                                   .stops = j->opt->entry || j->opt->python,
                                   .find = native_objects_find,
                                   .ctx = &j->objects};
    Native *n = native_new(code, plan, runs, &options);
    if (!n) return NULL;
    const char *text = arena_strndup(j->arena, code->text, strlen(code->text));
    vec_push(&j->natives, ((Made){text, level, precise, runs, cg_plan_kernels(plan, &names), n}));
    j->native_size[level] += native_size(n);
    if (j->opt->emit == EMIT_NATIVE) {
        native_print(&j->out, n);
    } else {
        native_objects_add(&j->objects, n);
    }
    return native_functions(n);
}

static void add_native(void *ctx, const CgCode *code)
{
    NativeForms *f = ctx;
    Job *j = f->job;
    const char *error, *const *names;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    if (!plan) return;
    f->kernel->nfunctions = cg_plan_kernels(plan, &names);
    size_t budget = strlen(code->text) < NATIVE_SHORT ? NATIVE_BUDGET_SHORT : NATIVE_BUDGET;
    if (f->evaluation->nturns) budget = NATIVE_BUDGET_TURNS;
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) {
        bool room = j->opt->levels_asked || j->native_size[level] < budget;
        if (!room || !(j->opt->levels & 1u << level)) continue;
        const bool *runs = foreseen(f, plan, (CgNativeLevel)level);
        f->kernel->code[level] = native_form(j, (CgNativeLevel)level, code, plan, runs);
    }
    cg_plan_free(plan);
}

/* Attributes that change no kernel: those that are in no graph, and those for which no kernel that is
 * known now has a parameter. */
typedef struct Steered {
    const char *hint; /* the attribute as graphs have it */
    bool known, used; /* an evaluation has it; a recipe asked for what it sets */
} Steered;

static bool asks_for(const CgAsked *asked, const char *hint)
{
    bool found = strcmp(hint, "AutoTune") == 0 || fd_hints_reals(hint) != FD_REALS_USUAL;
    for (int p = 0; p < cg_parameters(); p++) {
        const CgParameter *parameter = cg_parameter(p);
        size_t n = strlen(parameter->attribute);
        if (!asked[p].asked || !n || strncmp(hint, parameter->attribute, n) != 0) continue;
        int count = 0; /* of arguments */
        for (const char *c = hint + n; *c; c++) count += *c == '=' || *c == ',';
        found = found || parameter->argument < count;
    }
    return found;
}

static void note_steering(Job *j, Steered *all, const char *hints, const CgAsked *asked)
{
    for (int i = 0; i < j->sema->nsteering; i++) {
        if (!fd_hints_have(hints, all[i].hint)) continue;
        all[i].known = true;
        all[i].used = all[i].used || asks_for(asked, all[i].hint);
    }
}

static Steered *begin_steering(Job *j)
{
    Steered *all = arena_array(j->arena, Steered, j->sema->nsteering + 1);
    for (int i = 0; i < j->sema->nsteering; i++) {
        Text hint = {0};
        attr_hint(&hint, j->sema->steering[i]);
        all[i] = (Steered){.hint = arena_strndup(j->arena, hint.data, hint.len)};
        text_free(&hint);
    }
    return all;
}

static void warn_of_steering(Job *j, const Steered *all)
{
    for (int i = 0; i < j->sema->nsteering; i++) {
        bool there = false;
        for (int k = 0; k < j->sema->ngraphs && !there; k++)
            there = fd_hints_have(j->sema->graphs[k].graph->hints, all[i].hint);
        if (there && (!all[i].known || all[i].used)) continue;
        const Ast *a = j->sema->steering[i];
        diag(j->diags, a->loc, DIAG_NO_EFFECT, "[%s] has no effect here; leave it out",
             a->attr.name);
    }
}

/* Where machine code of kernels goes, if any is to be made. */
static Objects *begin_objects(const Options *o)
{
    Text path = {0};
    switch (o->emit) {
    case EMIT_OBJ:
    case EMIT_ASM: return objects_new(o->host.opt_level, OBJECTS_LINKED, NULL);
    case EMIT_NATIVE: /* all are printed, kept or not */
    case EMIT_KEPT: return objects_new(o->host.opt_level, OBJECTS_STORE, NULL);
    case EMIT_PROGRAM: break;
    default: return NULL;
    }
    Store *shipped = write_shipped(&path, "csc.kept") ? store_open(path.data) : NULL;
    text_free(&path);
    return objects_new(o->host.opt_level, OBJECTS_FILES, shipped);
}

/* In a session kernels are read by people: without the plan, the comment in front. */
static const char *shown_text(const Job *j, const char *text)
{
    const char *end = j->opt->entry ? strstr(text, "*/\n") : NULL;
    return end ? end + 3 : text;
}

/* CSC_VERIFY_TEXTS, for tests: a graph's text says all of it, since another process compiles by it. */
static void verify_text(const FdGraph *g, FdKey key)
{
    if (!getenv("CSC_VERIFY_TEXTS")) return;
    Fd *fd = fd_new();
    Text text = {0};
    const char *why = "it has another key";
    fd_print(&text, g);
    FdGraph *again = fd_read(fd, text.data, &why);
    FdKey second = again ? fd_key(fd, again, NULL) : (FdKey){0};
    if (second.hi != key.hi || second.lo != key.lo) {
        fprintf(stderr, "csc: internal error: the text of a graph is not read back: %s\n%s",
                again ? "it has another key" : why, text.data);
        abort();
    }
    text_free(&text);
    fd_free(fd);
}

/* There is code for turns of a loop: the runtime need not wait until they are worth making it. */
static void say_turns(SemaResult *r, const SemaEvaluation *e, const HostKernel *k)
{
    bool has = false;
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) has = has || k->code[level];
    for (int i = 0; i < e->nturns && has; i++)
        if (!r->graphs[e->turns[i]].turns) r->graphs[e->turns[i]].turns = 1;
    if (e->nturns && e->last >= 0 && has) r->graphs[e->last].turns = 2;
}

/* Kernels of every evaluation that is known now; the rest is lowered when it is met. */
static bool lower_kernels(Job *j)
{
    j->objects = (NativeObjects){.objects = begin_objects(j->opt), .arena = j->arena};
    CgReading **given = arena_array(j->arena, CgReading *, j->sema->nevaluations + 1);
    if (!tuned_load(j->opt, j->arena, &j->tuned) || !take_schedules(j, given)) return false;
    Steered *steered = begin_steering(j);
    for (int i = 0; i < j->sema->nevaluations; i++) {
        HostKernel k = {0};
        const SemaEvaluation *e = &j->sema->evaluations[i];
        NativeForms forms = {.job = j, .kernel = &k, .evaluation = e};
        FdError error = {0};
        char *text = NULL;
        bool asked = j->opt->emit == EMIT_SCHEDULE || j->opt->emit == EMIT_EXPLAIN;
        Text schedule = {0}, *printed = asked ? &schedule : NULL;
        CgAsked *steers = arena_array(j->arena, CgAsked, cg_parameters());
        FdKey key = fd_key(j->fd, e->graph, &forms.order);
        CgOptions cg = tuned_options(j->opt, j->tuned, key, j->arena);
        k.key = cg_key(key, &cg);
        verify_text(e->graph, key);
        const CgAlso also = {.read = given[i],
                             .printed = printed,
                             .take = j->objects.objects && j->opt->levels ? add_native : NULL,
                             .ctx = &forms,
                             .asked = e->graph->hints ? steers : NULL};
        CgStatus status = cg_lower_also(e->graph, &cg, &also, &text, &error);
        bool none = status == CG_HOST_ONLY && e->graph->turns; /* of turns nobody asked for */
        if (printed && status != CG_USER_ERROR && !none) print_schedule(j, e, &schedule);
        if (j->opt->emit == EMIT_RANKS && status != CG_USER_ERROR && !e->nturns)
            explain_ranks(j->sema, j->sources, e, &forms.order, text, &j->out);
        text_free(&schedule);
        note_steering(j, steered, e->graph->hints, steers);
        if (status == CG_USER_ERROR && given[i] && given[i]->line) {
            schedules_refused(j->schedules, given[i], error.message);
            mem_free(text);
            return false;
        }
        if (status == CG_USER_ERROR) diag(j->diags, e->loc, DIAG_KERNEL, "%s", error.message);
        if (status != CG_OK) {
            mem_free(text);
            continue;
        }
        say_turns(j->sema, e, &k);
        k.text = arena_strndup(j->arena, text, strlen(text));
        mem_free(text);
        vec_push(&j->kernels, k);
        if (j->opt->emit == EMIT_OPENCL) text_add(&j->out, shown_text(j, k.text));
    }
    warn_of_steering(j, steered);
    return diags_errors(j->diags) == 0;
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
                                {"kernels", lower_kernels, EMIT_NATIVE},
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
