/* One evaluation by kernels (run.h): a composed graph with values of its slots becomes numbers (bounds of
 * ranges), then a plan that is bound to them, on the device or in the program itself. */
#include "run.h"

#include <stdio.h>

#include "../../fdag/index/footprint/footprint.h"
#include "../device/device.h"
#include "../device/memory.h"
#include "../device/trace.h"
#include "../interrupt.h"
#include "../native/native.h"
#include "../native/together.h"
#include "../ranks/parts.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "bind/divide.h"
#include "bind/dump.h"
#include "bind/kernels.h"
#include "bind/measure.h"
#include "bind/reads.h"
#include "bind/recall.h"
#include "bind/small.h"
#include "bind/take.h"
#include "plan.h"
#include "steps/hold.h"

/* ---- on the device --------------------------------------------------------------------------- */

static void throw_kernel_error(const Evaluation *e, const uint32_t *words, const CsSite *site)
{
    const FdOrder *o = &e->composed->order;
    const FdNode *n = words[1] < (uint32_t)o->nplaces ? o->nodes[words[1]] : NULL;
    CsSite at = rt_site_of(site, fd_root(&e->composed->graph), n);
    if (words[0] == CG_ERR_DIVIDE) {
        rt_throw(RT_DIVIDE, &at, "integer division by zero");
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

/* Binds the plan of a kernel to the numbers. */
static bool bind(Evaluation *e, const Kernel *k, const CgDevice *device, Numbers *n,
                 const Results *r, const CsSite *site)
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

/* Finds the kernel. */
static Outcome find_kernel(Evaluation *e, const CsSite *site)
{
    Composed *c = e->composed;
    if (device_is_ref() || e->nclosures) return INTERPRET;
    if (c->native && c->native->status == CG_HOST_ONLY && native_makes()) return INTERPRET;
    if (!device_open(site)) { /* a program of native kernels needs none */
        if (native_use() != NATIVE_ALL || rt.error.kind != RT_DEVICE) return FAILED;
        rt_catch();
        return INTERPRET;
    }
    if (!c->kernel || c->kernel->family != device_info()->family)
        c->kernel = kernels_find(c->key, &c->graph, site);
    if (!c->kernel || cs_pending) return FAILED;
    if (c->kernel->status == CG_HOST_ONLY) return INTERPRET;
    if (c->kernel->status == CG_OK) return DONE;
    CsSite at = rt_site_at(site, c->kernel->loc);
    rt_throw(RT_DOMAIN, &at, "%s", c->kernel->message);
    return FAILED;
}

static Outcome outcome_of(const Evaluation *e, const uint32_t *words, const CsSite *site)
{
    if (words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED) return DONE;
    throw_kernel_error(e, words, site);
    return FAILED;
}

/* Is it over, without having been interrupted? Else what it wrote is no result. Kernels of a driver
 * are interrupted in sessions only. */
static bool is_over(const CsSite *site)
{
    if (!rt.stops) return true;
    if (rt.session) rt_sync();
    if (interrupted()) cs_throw_stack(site);
    return !cs_pending;
}

/* The memory of results and slots, of which dumps tell. False with an exception pending. */
static bool take(Evaluation *e, Numbers *n, const Results *r, bool queued, const CsSite *site)
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

/* What ranks do together. */
static NativeRun shared_run(const Evaluation *e, Numbers *n, const Results *r, int shares,
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

static Outcome launch(Evaluation *e, Numbers *n, const Results *r, const CsSite *site)
{
    Composed *c = e->composed;
    const CgSchedule *schedule = &n->schedule;
    int shares = rt.ranks.size ? divide_shares(e, n) : 1;
    bool can_fail = numbers_can_fail(e, n);
    if (!device_nothing(numbers_nothing(e), site)) return FAILED;
    dump_launches(c->kernel, schedule);
    DeviceProgram *p = kernels_program(c->kernel, n->variant, site);
    if (!p) return FAILED;
    if (!take(e, n, r, true, site)) return FAILED;
    NativeRun shared = shared_run(e, n, r, shares, site);
    if (cs_pending) return FAILED;
    measure(e, n, device_info(), false, shared.division ? 1.0 / shares : 1, site);
    divide_dump(shared.division, schedule);
    divide_tell(e, n, shared.division, !shared.meets, site);
    DeviceRun run = {.program = p, .schedule = schedule, .slots = n->slots, .outs = r->buffers};
    Together t = {.run = &shared, .device = &run};
    bool good =
        rt.ranks.size ? together_on_device(&t, can_fail, site) : device_run(&run, can_fail, site);
    uint32_t words[CG_ERROR_WORDS];
    if (!good || !is_over(site)) return FAILED;
    if (!can_fail) return DONE;
    return device_errors(words, site) ? outcome_of(e, words, site) : FAILED;
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

/* All that takes blocks: what may run out of memory comes before the device is asked. */
typedef struct Preparation {
    Evaluation *e;
    Numbers numbers;
    const Results *results;
    const CsSite *site;
    Outcome outcome;
    NativeWhen when; /* its native form runs, if it has one */
    bool alone;      /* the device would leave it to a few work-items (is_alone) */
    bool large;      /* the device has no buffers as large (is_large) */
    bool meanwhile;  /* it runs in the program's form until there is a better one */
    bool wide;       /* in the program its temporaries are not near */
} Preparation;

/* Operations in all. */
static double work_of(const Composed *c, const FdEnv *env)
{
    double each = c->work > 0 ? c->work : fd_work(&c->graph, env);
    return fd_elements(&c->graph, env) * each;
}

static void prepare_numbers(void *preparation)
{
    Preparation *p = preparation;
    dump_graph(p->e->composed);
    Numbers n = {.arena = arena_new()};
    p->outcome = numbers_find(p->e, &n, p->site) ? DONE : FAILED;
    if (p->outcome == DONE) n.work = work_of(p->e->composed, &n.env);
    p->numbers = n;
}

static void prepare_launch(void *preparation)
{
    Preparation *p = preparation;
    bool good = bind(p->e, p->e->composed->kernel, device_info(), &p->numbers, p->results, p->site);
    p->outcome = good ? DONE : FAILED;
}

/* Are most of its temporaries kept where they are used, if that is asked for, and no errors told? What goes
 * into an array that it reads has no temporaries, and cannot fail. */
static bool suits(Preparation *p)
{
    const CgSchedule *s = &p->numbers.schedule;
    size_t bytes = 0;
    if (p->e->into) return s->ntemps == 0 && !numbers_can_fail(p->e, &p->numbers);
    if (!p->e->near) return true;
    for (int i = 0; i < s->ntemps; i++) bytes += s->temp_bytes[i];
    return s->nlaunches > 0 && bytes <= s->out_bytes / 2 && !numbers_can_fail(p->e, &p->numbers);
}

/* Is it held back? Else it is evaluated now, which takes the memory that it lent (hold_wants). */
static bool is_held(Preparation *p)
{
    Buffer *b = p->results->buffers[0];
    if (!p->e->lazy) return false;
    if (!numbers_can_fail(p->e, &p->numbers) && hold_take(p->e->lazy, b)) return true;
    plan_alone(p->e->lazy->site, "an element may fail");
    if (!buffer_regain(b, p->site)) p->outcome = FAILED;
    return false;
}

/* ---- in the program itself ------------------------------------------------------------------- */

/* Binds for a form, if that is to run; else it stays as it is. */
static void try_form(Preparation *p, const CsCode *form)
{
    const Composed *c = p->e->composed;
    NativeWhen when = p->large   ? NATIVE_ALWAYS
                      : p->alone ? native_alone(p->numbers.work)
                                 : native_when(native_is_full(form), c->exact, p->numbers.work);
    if (when == NATIVE_NOT) return;
    CgDevice device = native_device(form);
    bool good = bind(p->e, c->native, &device, &p->numbers, p->results, p->site);
    p->outcome = good ? DONE : FAILED;
    p->numbers.form = form;
    p->when = when;
}

/* The program's form, if it has all kernels; else one that is made, or will be. */
static void prepare_native(void *preparation)
{
    Preparation *p = preparation;
    const Composed *c = p->e->composed;
    Kernel *k = c->native;
    p->outcome = INTERPRET;
    if (k->form) try_form(p, k->form);
    if (p->outcome == FAILED) return;
    bool has = p->outcome == DONE && native_has(k->form, k->plan, &p->numbers.schedule);
    p->meanwhile = has && p->when == NATIVE_MEANWHILE;
    if (has && !p->meanwhile) return;
    const CsCode *made = code_form(&k->made, k->plan);
    if (!made) p->meanwhile = false;
    if (!made && has) return;
    p->outcome = INTERPRET;
    if (made) try_form(p, made);
}

static void prepare_meanwhile(void *preparation)
{
    Preparation *p = preparation;
    try_form(p, p->e->composed->native->form);
}

/* Has the form what the schedule launches? Made forms get it, which evaluations wait for or, in the program's
 * form meanwhile, not. INTERPRET: it is not to be had. */
static Outcome complete(Preparation *p)
{
    const Composed *c = p->e->composed;
    Kernel *k = c->native;
    if (p->numbers.form == k->form) return DONE;
    bool has = native_has(p->numbers.form, k->plan, &p->numbers.schedule) ||
               kernels_made(k, c->key, &c->graph, &p->numbers.schedule, !p->meanwhile);
    p->meanwhile = p->meanwhile && !has;
    if (cs_pending || (!has && !p->meanwhile)) return cs_pending ? FAILED : INTERPRET;
    if (has) return DONE;
    if (mem_try(prepare_meanwhile, p)) return p->outcome;
    rt_throw_memory(p->site, 0);
    return FAILED;
}

static Outcome run_native(Evaluation *e, Numbers *n, const Results *r, const CsSite *site)
{
    const Composed *c = e->composed;
    int shares = divide_shares(e, n);
    if (!take(e, n, r, false, site)) return FAILED;
    NativeRun run = shared_run(e, n, r, shares, site);
    run.form = n->form;
    run.plan = c->native->plan;
    if (cs_pending) return FAILED;
    if (rt_profiling()) {
        CgDevice device = native_device(n->form);
        double share = rt.ranks.size && run.division ? 1.0 / shares : 1;
        measure(e, n, &device, true, share, site);
    }
    divide_dump(run.division, &n->schedule);
    divide_tell(e, n, run.division, false, site);
    uint32_t words[CG_ERROR_WORDS];
    if (!native_run(&run, words, site) || !is_over(site)) return FAILED;
    return outcome_of(e, words, site);
}

/* INTERPRET: not here. */
static Outcome in_program(Preparation *p)
{
    Evaluation *e = p->e;
    Composed *c = e->composed;
    NativeUse use = p->large ? NATIVE_ALL : native_use();
    if (use == NATIVE_NEVER || e->nclosures) return INTERPRET;
    if (use == NATIVE_SMALL && !p->alone && !small_at_hand(e)) return INTERPRET;
    if (!c->looked) c->native = kernels_native(c->key, &c->graph, !p->large, p->site);
    c->looked = !cs_pending;
    if (cs_pending || !c->native) return cs_pending ? FAILED : INTERPRET;
    if (c->native->status == CG_HOST_ONLY) return INTERPRET;
    if (!mem_try(prepare_native, p)) {
        rt_throw_memory(p->site, 0);
        return FAILED;
    }
    if (p->outcome != DONE) return p->outcome;
    if (p->when == NATIVE_PROCESSOR && !native_is_device(p->site))
        return cs_pending ? FAILED : INTERPRET;
    p->wide = !suits(p);
    if (p->wide) return INTERPRET;
    if (is_held(p) || p->outcome == FAILED) return p->outcome;
    Outcome complete_is = complete(p);
    if (complete_is != DONE) return complete_is;
    dump_launches(c->native, &p->numbers.schedule);
    return run_native(e, &p->numbers, p->results, p->site);
}

/* Is there no launch that occupies the device's units? One of a GPU's many work-items is slow: a recurrence in
 * order is for the processor, which has to fetch the operands. */
static bool is_alone(const Preparation *p)
{
    enum { WARP = 32 };
    const CgSchedule *s = &p->numbers.schedule;
    size_t most = 0;
    if (device_info()->family != CG_GPU || device_is_host()) return false;
    for (int i = 0; i < s->nlaunches; i++) {
        const CgLaunch *l = &s->launches[i];
        size_t items = 1;
        for (int d = 0; d < l->dims; d++) items *= l->global[d];
        if (items > most) most = items;
    }
    return s->nlaunches > 0 && most < (size_t)device_info()->units * WARP;
}

/* Is there a buffer that the device cannot have? */
static bool is_large(const Preparation *p)
{
    const CgSchedule *s = &p->numbers.schedule;
    const FdOrder *o = &p->e->composed->order;
    size_t most = 0;
    for (int i = 0; i < s->ntemps; i++) most = s->temp_bytes[i] > most ? s->temp_bytes[i] : most;
    for (int i = 0; i < s->nouts; i++) most = s->outs[i] > most ? s->outs[i] : most;
    for (int k = 0; k < o->nslots; k++) {
        const Array *a = p->e->leaves.data[o->slots[k]].array;
        const Buffer *b = a ? a->head.buffer : NULL;
        if (b && b->bytes > most) most = b->bytes;
    }
    return !device_holds(most);
}

/* Natively, whatever is usual. The usual kernel stays what it is: which one an evaluation of reals takes is a
 * function of its sizes alone. */
static Outcome in_memory(Preparation *p)
{
    Composed *c = p->e->composed;
    Kernel *usual = c->native;
    bool looked = c->looked;
    c->looked = false;
    Outcome outcome = in_program(p);
    c->native = usual;
    c->looked = looked;
    return outcome;
}

/* What the device was to do, on the processor. INTERPRET: it stays with the device. */
static Outcome take_back(Preparation *p)
{
    p->large = is_large(p);
    p->alone = !p->large && is_alone(p);
    if (!p->large && !p->alone) return INTERPRET;
    Outcome outcome = p->large ? in_memory(p) : in_program(p);
    p->alone = false;
    if (outcome != INTERPRET) return outcome;
    if (p->when == NATIVE_NOT) { /* it is bound to the device still */
        p->outcome = DONE;
    } else if (!mem_try(prepare_launch, p)) {
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
    FdFootprint *reads = mem_alloc((size_t)g->nslots * sizeof *reads);
    FdBox box;
    fd_footprints(g, a->env, NULL, NULL, NULL, reads);
    a->is = fd_eval_box(rt_fd(), fd_root(g), a->env, &box) == FD_BOUND_OK &&
            fd_footprint_apart(&reads[g->results[0].part->slot], &box);
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
    Recalled *last = e->lazy ? NULL : recall(e);
    bool good = last && last->numbers.schedule.nouts == r->n;
    if (good && e->near) good = last->near && !numbers_can_fail(e, &last->numbers);
    if (good && last->native) good = native_use() == NATIVE_ALL || small_at_hand(e);
    for (int i = 0; good && i < r->n; i++)
        good = last->numbers.schedule.outs[i] <= r->buffers[i]->capacity;
    return good ? last : NULL;
}

/* By these. What operands wait for comes first: it may be an evaluation of the same graph. */
static Outcome as_before(Evaluation *e, const Results *r, const CsSite *site)
{
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
    if (last->native) dump_launches(e->composed->native, &last->numbers.schedule);
    return last->native ? run_native(e, &last->numbers, r, site)
                        : launch(e, &last->numbers, r, site);
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
    Outcome native = good && p.outcome == DONE ? in_program(&p) : INTERPRET;
    /* what a device does no rank divides: fewer steps have a kernel here */
    bool less = p.wide && e->near && rt.ranks.size;
    if (less) p.outcome = INTERPRET;
    bool queue = native == INTERPRET && p.outcome != FAILED && !less;
    bool stays = good && queue && small_is(e, &p.numbers.env, r->count);
    if (stays)
        p.outcome = INTERPRET;
    else if (good && queue)
        p.outcome = find_kernel(e, site);
    if (good && queue && p.outcome == DONE) good = mem_try(prepare_launch, &p);
    if (!good) rt_throw_memory(site, 0);
    if (!good) p.outcome = FAILED;
    if (good && native != INTERPRET) p.outcome = native;
    if (queue && good && p.outcome == DONE) native = take_back(&p);
    if (queue && native != INTERPRET) queue = false, p.outcome = native;
    if (queue && p.outcome == DONE && !suits(&p)) p.outcome = INTERPRET;
    if (queue && p.outcome == DONE && !is_held(&p) && p.outcome == DONE)
        p.outcome = launch(e, &p.numbers, r, site);
    if (p.outcome == INTERPRET && !divide_alone(e, &p.numbers)) p.outcome = FAILED;
    const Composed *c = e->composed;
    bool kept = false, keep = p.outcome == DONE && !e->lazy && !p.large;
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
