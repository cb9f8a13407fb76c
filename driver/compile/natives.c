/* Native forms of a text, within the budget unless levels are asked for: a program with many kernels
 * compiles as fast as one with few. */
#include "natives.h"

#include <string.h>

#include "../session/entry.h"

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
    if (e->nknown == 0)
        cg_plan_reach(plan, &device, slots, runs); /* anything may be: guesses alone */
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
                                   .kept = native_objects_kept,
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

/* Of an entry of a session a text of several kernels waits for its run, which needs few of them: a product one of five. */
static bool waits(const Job *j, const bool *runs, int nkernels)
{
    int several = 0;
    for (int k = 0; k < nkernels; k++) several += runs[k];
    return j->opt->entry && j->opt->entry->made && !j->opt->levels_asked && several > 1;
}

void natives_add(void *ctx, const CgCode *code)
{
    NativeForms *f = ctx;
    Job *j = f->job;
    const char *error, *const *names;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    if (!plan) return;
    f->kernel->nfunctions = cg_plan_kernels(plan, &names);
    size_t budget = strlen(code->text) < NATIVE_SHORT ? NATIVE_BUDGET_SHORT : NATIVE_BUDGET;
    if (f->evaluation->nloops) budget = NATIVE_BUDGET_TURNS;
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) {
        bool room = j->opt->levels_asked || j->native_size[level] < budget;
        if (!room || !(j->opt->levels & 1u << level)) continue;
        const bool *runs = foreseen(f, plan, (CgNativeLevel)level);
        if (waits(j, runs, f->kernel->nfunctions)) continue;
        f->kernel->code[level] = native_form(j, (CgNativeLevel)level, code, plan, runs);
    }
    cg_plan_free(plan);
}
