/* What is evaluated together (plan.h). The reasons are those of whoever decided (ahead.c, hold.c), else what two
 * neighbours have in common shows. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/memory.h"
#include "../state.h"

/* ---- CS_PLAN ----------------------------------------------------------------------------------- */

static const char *const words[] = {"0", "1", "greedy"};

PlanJoins plan_joins(void)
{
    if (!rt.plan.read) {
        const char *s = getenv("CS_PLAN");
        size_t i = 0;
        while (s && i < sizeof words / sizeof *words && strcmp(s, words[i])) i++;
        rt.plan.unknown = i == sizeof words / sizeof *words;
        rt.plan.joins = s && !rt.plan.unknown ? (int)i : PLAN_USUAL;
        rt.plan.read = true;
    }
    return (PlanJoins)rt.plan.joins;
}

size_t plan_least(size_t usual)
{
    PlanJoins joins = plan_joins();
    return joins == PLAN_NONE ? SIZE_MAX : joins == PLAN_GREEDY ? 1 : usual;
}

bool plan_is_small(size_t bytes)
{
    return bytes < plan_least(1 << 16);
}

bool plan_check(const CsSite *site)
{
    plan_joins();
    if (!rt.plan.unknown) return true;
    rt_throw(RT_DEVICE, site, "CS_PLAN=%s asks for something unknown; set it to 0, 1 or greedy",
             getenv("CS_PLAN"));
    return false;
}

/* ---- CS_DUMP=plan ------------------------------------------------------------------------------ */

void plan_group(const CsAhead *group, const char *why)
{
    if (!rt_dumping(RT_DUMP_PLAN) || !group->lines) return;
    rt.plan.group = group;
    rt.plan.group_why = why;
}

void plan_alone(const CsSite *site, const char *why)
{
    if (!rt_dumping(RT_DUMP_PLAN) || !site) return;
    rt.plan.line = site->line;
    rt.plan.why = why;
}

/* Is it a pair of parts of the group? The first part stands behind the last one of the turn before, too. */
static bool is_of_group(int line, int next)
{
    const CsAhead *g = rt.plan.group;
    int i = 0;
    while (g && i < g->n && g->lines[i] != line) i++;
    while (g && i < g->n && g->lines[i] != next) i++;
    return g && i < g->n;
}

static bool is_scalar(const Evaluation *e)
{
    return !fd_root(&e->composed->graph)->type->nparams;
}

/* Does it read memory that the launch before filled, or that it read? */
static bool reads(const Evaluation *e, Buffer *const *slots, int n, const void *const *buffers)
{
    for (int k = 0; k < e->composed->order.nslots; k++)
        for (int i = 0; slots[k] && i < n; i++)
            if (slots[k] == buffers[i]) return true;
    return false;
}

/* Why it is no launch together with the one before. */
static const char *reason(const Evaluation *e, const Results *r, Buffer *const *slots, int line)
{
    const struct PlanBefore *b = &rt.plan.before;
    bool below = reads(e, slots, b->nresults, b->results);
    if (plan_joins() == PLAN_NONE) return "CS_PLAN=0";
    if (b->scalar) return "the number of the first is asked for";
    if (is_of_group(b->line, line)) return rt.plan.group_why;
    if (below && rt.plan.line == line && rt.plan.why) return rt.plan.why;
    if (below && is_scalar(e) && r->n == 1)
        return "a number goes with what reads neighbours in long loops only";
    if (below) return "the second reads the first at other elements";
    if (!is_scalar(e) && r->count != b->count) return "their ranges differ";
    if (!reads(e, slots, b->nreads, b->reads)) return "they have no array in common";
    return "what stands between them might tell";
}

static void remember(const Evaluation *e, const Results *r, Buffer *const *slots, int line)
{
    struct PlanBefore *b = &rt.plan.before;
    *b = (struct PlanBefore){.line = line, .scalar = is_scalar(e), .count = r->count};
    for (; b->nresults < r->n && b->nresults < PLAN_ARRAYS; b->nresults++)
        b->results[b->nresults] = r->buffers[b->nresults];
    for (int k = 0; k < e->composed->order.nslots && b->nreads < PLAN_ARRAYS; k++)
        if (slots[k]) b->reads[b->nreads++] = slots[k];
}

/* Does a result lie where a slot was? */
static bool is_over(const Evaluation *e, Buffer *const *slots, const Buffer *result)
{
    bool over = e->into != NULL;
    for (int k = 0; k < e->composed->order.nslots; k++) over = over || slots[k] == result;
    return over;
}

/* Lines, from the first of a turn on: how many does a turn have? */
static int period_of(const PlanLines *l)
{
    for (int p = 1; p < l->n; p++) {
        int i = p;
        while (i < l->n && l->line[i] == l->line[i - p]) i++;
        if (i == l->n && l->n % p == 0) return p;
    }
    return l->n;
}

void plan_waited(const PlanLines *l, const char *apart)
{
    if (!l->n) return;
    int period = period_of(l);
    fputs(apart ? "// apart: " : "// launch: ", stderr);
    if (period < l->n) fprintf(stderr, "%d turns of ", l->n / period);
    fputs(period > 1 ? "lines" : "line", stderr);
    for (int i = 0; i < period; i++) fprintf(stderr, " %d", l->line[i]);
    if (apart) fprintf(stderr, ": %s", apart);
    fputc('\n', stderr);
    if (!apart) rt.plan.before = (struct PlanBefore){.line = l->line[l->n - 1]};
}

void plan_tell(const Evaluation *e, const Results *r, Buffer *const *slots, const CsSite *site)
{
    if (!rt_dumping(RT_DUMP_PLAN)) return;
    const PlanLines one = {1, {site ? site->line : 0}, 0};
    const PlanLines *l = e->lines ? e->lines : rt.plan.all ? rt.plan.all : &one;
    const int before = rt.plan.before.line;
    /* arrays come first in the program, scalars in the results */
    int result = is_scalar(e) && r->n > 1 ? 1 : 0;
    if (!l->n) return; /* it was told already */
    if (before && before != l->line[0])
        fprintf(stderr, "// apart: lines %d and %d: %s\n", before, l->line[0],
                reason(e, r, slots, l->line[0]));
    fputs(l->n > 1 ? "// launch: lines" : "// launch: line", stderr);
    for (int i = 0; i < l->n; i++) {
        bool inner = l->inner >> i & 1;
        bool over = !inner && result < r->n && is_over(e, slots, r->buffers[result]);
        result += !inner;
        fprintf(stderr, " %d%s", l->line[i], over ? "!" : "");
    }
    fputc('\n', stderr);
    rt.plan.line = 0;
    remember(e, r, slots, l->line[l->n - 1]);
}
