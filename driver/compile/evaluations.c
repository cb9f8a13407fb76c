/* The stage that makes kernels: of every evaluation that is known now. The rest is lowered when it is
 * met. */
#include "evaluations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/mem.h"
#include "../write.h"
#include "explain_ranks.h"
#include "natives.h"
#include "steering.h"
#include "tuned.h"

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

/* It is of a turn; of how many arrays is known where the last of them is one of the program's. */
static void say_turn(SemaGraph *g, const SemaTurns *t)
{
    g->of_turns = true;
    g->period = t->last >= 0 ? t->period : 0;
    g->whole = t->last >= 0 ? t->whole : 0;
}

/* There is code for turns of loops: the runtime need not wait until they are worth making it. */
static void say_turns(SemaResult *r, const SemaEvaluation *e, const HostKernel *k)
{
    bool has = false;
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) has = has || k->code[level];
    for (const SemaTurns *t = e->loops; has && t < e->loops + e->nloops; t++) {
        for (int i = 0; i < t->n; i++)
            if (!r->graphs[t->graphs[i]].of_turns) say_turn(&r->graphs[t->graphs[i]], t);
        if (t->last < 0) continue;
        say_turn(&r->graphs[t->last], t); /* whatever another loop said */
        r->graphs[t->last].ends_turn = true;
    }
}

/* Kernels of every evaluation that is known now; the rest is lowered when it is met. */
bool evaluations_lower(Job *j)
{
    j->objects = (NativeObjects){.objects = begin_objects(j->opt), .arena = j->arena};
    CgReading **given = arena_array(j->arena, CgReading *, j->sema->nevaluations + 1);
    if (!tuned_load(j->opt, j->arena, &j->tuned) || !take_schedules(j, given)) return false;
    Steered *steered = steering_begin(j);
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
                             .take = j->objects.objects && j->opt->levels ? natives_add : NULL,
                             .ctx = &forms,
                             .asked = e->graph->hints ? steers : NULL};
        CgStatus status = cg_lower_also(e->graph, &cg, &also, &text, &error);
        bool none = status == CG_HOST_ONLY && e->graph->turns; /* of turns nobody asked for */
        if (printed && status != CG_USER_ERROR && !none) print_schedule(j, e, &schedule);
        if (j->opt->emit == EMIT_RANKS && status != CG_USER_ERROR && !e->nloops)
            explain_ranks(j->sema, j->sources, e, &forms.order, text, &j->out);
        text_free(&schedule);
        steering_note(j, steered, e->graph->hints, steers);
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
    steering_warn(j, steered);
    return diags_errors(j->diags) == 0;
}
