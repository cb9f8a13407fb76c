/* One evaluation by kernels of the program itself, or that are made for it as machine code. */
#include "../native/ready.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "bind/divide.h"
#include "bind/dump.h"
#include "bind/measure.h"
#include "bind/recall.h"
#include "bind/small.h"
#include "bind/take.h"
#include "running.h"

/* Binds for a form, if that is to run; else it stays as it is. */
static void try_form(Preparation *p, const CsCode *form)
{
    const Composed *c = p->e->composed;
    NativeWhen when = p->large   ? NATIVE_ALWAYS
                      : p->alone ? native_alone(p->numbers.work)
                                 : native_when(form, c->exact, p->numbers.work);
    if (when == NATIVE_NOT) return;
    CgDevice device = native_device(form);
    bool good = run_bind(p->e, c->native, &device, &p->numbers, p->results, p->site);
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

/* By numbers that are bound for a form. */
static Outcome run_native(Evaluation *e, Numbers *n, const Results *r, const CsSite *site)
{
    const Composed *c = e->composed;
    int shares = divide_shares(e, n);
    if (!run_take(e, n, r, false, site)) return FAILED;
    NativeRun run = run_shared(e, n, r, shares, site);
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
    if (!native_run(&run, words, site) || !run_is_over(site)) return FAILED;
    return run_outcome(e, words, site);
}

typedef struct Making {
    Evaluation *e;
    Recalled *of;
    const Results *results;
} Making;

static void make_ready(void *making)
{
    Making *m = making;
    Numbers *n = &m->of->numbers;
    NativeRun run = run_shared(m->e, n, m->results, 1, NULL);
    run.form = n->form;
    run.plan = m->e->composed->native->plan;
    m->of->ready = ready_new(n->arena, &run);
}

Outcome run_native_again(Evaluation *e, Recalled *last, const Results *r, const CsSite *site)
{
    Numbers *n = &last->numbers;
    bool calm = rt_is_calm();
    if (calm && !last->asked_ready)
        last->asked_ready = mem_try(make_ready, &(Making){e, last, r}); /* else the next time */
    if (!calm || !last->ready) {
        dump_launches(e->composed->native, &n->schedule);
        return run_native(e, n, r, site);
    }
    const uint32_t *words = NULL;
    if (take_results(e, n, r, site) && take_slots(e, n, r, false, site))
        words = ready_run(last->ready, n->slots, r->buffers, site);
    return words ? run_outcome(e, words, site) : FAILED;
}

Outcome run_native_try(Preparation *p)
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
    if (!run_suits(p)) return INTERPRET;
    if (run_is_held(p) || p->outcome == FAILED) return p->outcome;
    Outcome complete_is = complete(p);
    if (complete_is != DONE) return complete_is;
    dump_launches(c->native, &p->numbers.schedule);
    return run_native(e, &p->numbers, p->results, p->site);
}

Outcome run_native_large(Preparation *p)
{
    Composed *c = p->e->composed;
    Kernel *usual = c->native;
    bool looked = c->looked;
    c->looked = false;
    Outcome outcome = run_native_try(p);
    c->native = usual;
    c->looked = looked;
    return outcome;
}
