/* One evaluation by kernels (run.h): a composed graph with values of its slots becomes numbers (bounds of
 * ranges), then a plan that is bound to them, on the device or in the program itself. */
#include "running.h"

#include <stdio.h>

#include "../../fdag/index/footprint/footprint.h"
#include "../device/device.h"
#include "../device/memory.h"
#include "../device/trace.h"
#include "../interrupt.h"
#include "../ranks/parts.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "bind/divide.h"
#include "bind/dump.h"
#include "bind/measure.h"
#include "bind/reads.h"
#include "bind/recall.h"
#include "bind/small.h"
#include "bind/take.h"
#include "plan.h"
#include "steps/hold.h"

/* ---- what all kernels need -------------------------------------------------------------------- */

static void throw_kernel_error(const Evaluation *e, const uint32_t *words, const CsSite *site)
{
    const FdOrder *o = &e->composed->order;
    const FdNode *n = words[1] < (uint32_t)o->nplaces ? o->nodes[words[1]] : NULL;
    CsSite at = rt_site_of(site, fd_root(&e->composed->graph), n);
    if (words[0] == CG_ERR_DIVIDE) {
        rt_throw(RT_DIVIDE, &at, "Attempted to divide by zero.");
    } else if (words[0] == CG_ERR_EMPTY) {
        FdOp op = n ? fd_op_of(n) : FD_OP_NONE;
        rt_throw(RT_DOMAIN, &at, "%s of an empty domain",
                 op == FD_OP_NONE ? "a reduction without identity" : fd_op_info(op)->text);
    } else {
        int64_t w[3]; /* of one dimension: the index, the lower bound, the length */
        for (int i = 0; i < 3; i++)
            w[i] = (int64_t)((uint64_t)words[2 + 2 * i] | (uint64_t)words[3 + 2 * i] << 32);
        FdBox box = {.rank = 1, .dim = {{.lo = w[1], .hi = w[1] + w[2]}}};
        bool all = n && n->kind == FD_APPLY && n->nargs == 1 && n->fn->kind != FD_LET;
        rt_throw_outside(&at, all ? n->fn->name : NULL, &box, w);
        rt.error.index = (uint64_t)w[0];
    }
    rt.error.node = words[1];
    rt_frame_around(&at, site);
}

bool run_bind(Evaluation *e, const Kernel *k, const CgDevice *device, Numbers *n, const Results *r,
              const CsSite *site)
{
    Composed *c = e->composed;
    const CgSchedule *s = &n->schedule;
    n->slots = arena_array(n->arena, Buffer *, c->order.nslots ? c->order.nslots : 1);
    recall_room(e, n);
    for (int i = 0; i < c->order.nslots; i++) numbers_value(e, k->plan, i, &n->slot_boxes[i]);
    bool good =
        cg_plan_bind(k->plan, &n->binding, device, n->arena, &n->schedule) && s->nouts == r->n;
    n->variant = s->variant;
    for (int i = 0; good && i < s->nouts; i++) good = s->outs[i] <= r->buffers[i]->capacity;
    if (!good) rt_throw_memory(site, SIZE_MAX);
    return good;
}

Outcome run_outcome(const Evaluation *e, const uint32_t *words, const CsSite *site)
{
    if (words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED) return DONE;
    throw_kernel_error(e, words, site);
    return FAILED;
}

bool run_is_over(const CsSite *site)
{
    if (!rt.stops) return true;
    if (rt.session) rt_sync();
    if (interrupted()) cs_throw_stack(site);
    return !cs_pending;
}

bool run_take(Evaluation *e, Numbers *n, const Results *r, bool queued, const CsSite *site)
{
    if (!take_results(e, n, r, site) || !take_slots(e, n, r, queued, site)) return false;
    dump_over(e->composed->order.nslots, n->slots, r->n, r->buffers);
    plan_tell(e, r, n->slots, site);
    return true;
}

static bool bring(const void *ctx, const CsSite *site)
{
    return reads_bring(ctx, NULL, site);
}

NativeRun run_shared(const Evaluation *e, Numbers *n, const Results *r, int shares,
                     const CsSite *site)
{
    return (NativeRun){.schedule = &n->schedule,
                       .variant = n->variant,
                       .nslots = e->composed->order.nslots,
                       .slots = n->slots,
                       .outs = r->buffers,
                       .work = n->work,
                       .keeps = e->into || e->donors,
                       .slice = e->into && r->count < rt_array_count(e->into),
                       .meets = rt.ranks.size && shares > 1,
                       .bring = bring,
                       .ctx = e,
                       .division = divide_evaluation(e, n, shares, site)};
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static void dump_graph(const Composed *c)
{
    if (!rt_dumping(RT_DUMP_FDAG)) return;
    Text t = {0};
    fd_print(&t, &c->graph);
    fprintf(stderr, "// fdag %016llx%016llx\n%s\n", (unsigned long long)c->key.hi,
            (unsigned long long)c->key.lo, t.data);
    text_free(&t);
}

static void prepare_numbers(void *preparation)
{
    Preparation *p = preparation;
    dump_graph(p->e->composed);
    Numbers n = {.arena = arena_new()};
    p->outcome = numbers_find(p->e, &n, p->site) ? DONE : FAILED;
    if (p->outcome == DONE) n.work = numbers_work(p->e->composed, &n.env);
    p->numbers = n;
}

bool run_suits(Preparation *p)
{
    const CgSchedule *s = &p->numbers.schedule;
    size_t bytes = 0;
    if (p->e->into) return s->ntemps == 0 && !numbers_can_fail(p->e, &p->numbers);
    if (!p->e->near) return true;
    for (int i = 0; i < s->ntemps; i++) bytes += s->temp_bytes[i];
    return s->nlaunches > 0 && bytes <= s->out_bytes / 2 && !numbers_can_fail(p->e, &p->numbers);
}

bool run_is_held(Preparation *p)
{
    Buffer *b = p->results->buffers[0];
    if (!p->e->lazy) return false;
    if (!numbers_can_fail(p->e, &p->numbers) && hold_take(p->e->lazy, b)) return true;
    plan_alone(p->e->lazy->site, "an element may fail");
    if (!buffer_regain(b, p->site)) p->outcome = FAILED;
    return false;
}

/* What the device was to do, on the processor. INTERPRET: it stays with the device. */
static Outcome take_back(Preparation *p)
{
    p->large = run_device_large(p);
    p->alone = !p->large && run_device_alone(p);
    if (!p->large && !p->alone) return INTERPRET;
    Outcome outcome = p->large ? run_native_large(p) : run_native_try(p);
    p->alone = false;
    if (outcome != INTERPRET) return outcome;
    if (p->when == NATIVE_NOT) { /* it is bound to the device still */
        p->outcome = DONE;
    } else if (!mem_try(run_device_prepare, p)) {
        rt_throw_memory(p->site, 0);
        return FAILED;
    }
    return INTERPRET;
}

typedef struct Apart {
    const Composed *composed;
    const FdEnv *env;
    bool is;
} Apart;

static void look_apart(void *apart)
{
    Apart *a = apart;
    const FdGraph *g = &a->composed->graph;
    const int slot = g->results[0].part->slot;
    FdBox box;
    if (fd_eval_box(rt_fd(), fd_root(g), a->env, &box) != FD_BOUND_OK) return;
    a->is = fd_reads_apart(g, slot, a->env, &box);
    if (a->is) return;
    FdFootprint *reads = mem_alloc((size_t)g->nslots * sizeof *reads);
    fd_footprints(g, a->env, NULL, NULL, NULL, reads);
    a->is = fd_footprint_apart(&reads[slot], &box);
    mem_free(reads);
}

/* May the values go into the array, one after the other? */
static bool goes_into(const Evaluation *e, Numbers *n)
{
    Apart a = {e->composed, &n->env, false};
    return mem_try(look_apart, &a) && a.is;
}

/* The numbers of the last evaluation of the graph, if they are those of this one. */
static Recalled *last_one(Evaluation *e, const Results *r)
{
    Recalled *last = recall(e);
    bool good = last && !last->unrun && last->numbers.schedule.nouts == r->n;
    if (good && e->near) good = last->near;
    if (good && (e->near || e->into)) good = !numbers_can_fail(e, &last->numbers); /* run_suits */
    if (good && last->native) good = native_use() == NATIVE_ALL || small_at_hand(e);
    for (int i = 0; good && i < r->n; i++)
        good = last->numbers.schedule.outs[i] <= r->buffers[i]->capacity;
    return good ? last : NULL;
}

/* Is it held back as others of its graph are? */
static Outcome held_as_before(Evaluation *e, const Results *r)
{
    Recalled *last = r->n == 1 && !e->into && !e->near ? recall(e) : NULL;
    bool never = last && !numbers_can_fail(e, &last->numbers);
    return never && hold_take(e->lazy, r->buffers[0]) ? DONE : INTERPRET;
}

/* By these. What operands wait for comes first: it may be an evaluation of the same graph. */
static Outcome as_before(Evaluation *e, const Results *r, const CsSite *site)
{
    if (e->lazy) return held_as_before(e, r);
    Recalled *last = last_one(e, r);
    bool filled = false;
    for (size_t i = 0; last && i < e->leaves.len; i++) {
        const Array *a = e->leaves.data[i].array;
        Buffer *b = a ? a->head.buffer : NULL;
        if (!b || !b->held) continue;
        if (!rt_fill(b, site)) return FAILED;
        filled = true;
    }
    if (filled) last = last_one(e, r);
    if (!last || (e->into && !goes_into(e, &last->numbers))) return INTERPRET;
    return last->native ? run_native_again(e, last, r, site)
                        : run_device(e, &last->numbers, r, site);
}

/* The same on the device, if it can do it. */
static Outcome find_and_run(Evaluation *e, const Results *r, const CsSite *site)
{
    Outcome again = as_before(e, r, site);
    if (again != INTERPRET) return again;
    Preparation p = {.e = e, .results = r, .site = site};
    bool good = mem_try(prepare_numbers, &p);
    if (good && p.outcome == DONE && e->into && !goes_into(e, &p.numbers)) {
        arena_free(p.numbers.arena);
        return INTERPRET;
    }
    Outcome native = good && p.outcome == DONE ? run_native_try(&p) : INTERPRET;
    bool queue = native == INTERPRET && p.outcome != FAILED;
    bool stays = good && queue && small_is(e, &p.numbers.env, r->count);
    if (stays)
        p.outcome = INTERPRET;
    else if (good && queue)
        p.outcome = run_device_kernel(e, site);
    if (good && queue && p.outcome == DONE) good = mem_try(run_device_prepare, &p);
    if (!good) rt_throw_memory(site, 0);
    if (!good) p.outcome = FAILED;
    if (good && native != INTERPRET) p.outcome = native;
    if (queue && good && p.outcome == DONE) native = take_back(&p);
    if (queue && native != INTERPRET) queue = false, p.outcome = native;
    if (queue && p.outcome == DONE && !run_suits(&p)) p.outcome = INTERPRET;
    if (queue && p.outcome == DONE && !run_is_held(&p) && p.outcome == DONE)
        p.outcome = run_device(e, &p.numbers, r, site);
    if (p.outcome == INTERPRET && !divide_alone(e, &p.numbers)) p.outcome = FAILED;
    const Composed *c = e->composed;
    bool kept = false, keep = p.outcome == DONE && !p.large;
    if (keep && native == DONE && p.when != NATIVE_UNOPENED && !p.meanwhile)
        kept = recall_keep(e, &p.numbers, c->native->plan, true);
    if (keep && native == INTERPRET && device_is_host()) /* sizes alone decided */
        kept = recall_keep(e, &p.numbers, c->kernel->plan, false);
    if (!kept) arena_free(p.numbers.arena);
    return p.outcome;
}

Outcome run_on_device(Evaluation *e, const Results *r, const CsSite *site)
{
    uint64_t from = trace_now();
    if (rt.ranks.check) note_evaluation(e);
    Outcome outcome = find_and_run(e, r, site);
    if (from) {
        char name[96];
        CsSite at = measured_site(e, site);
        snprintf(name, sizeof name, "%s:%d:%d", at.file ? at.file : "", at.line, at.col);
        trace_span(TRACE_HOST, name, from, trace_now());
    }
    return outcome;
}
