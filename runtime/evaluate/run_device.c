/* One evaluation by kernels of the device. */
#include "../device/device.h"
#include "../native/together.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "bind/divide.h"
#include "bind/dump.h"
#include "bind/measure.h"
#include "running.h"

Outcome run_device_kernel(Evaluation *e, const CsSite *site)
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

void run_device_prepare(void *preparation)
{
    Preparation *p = preparation;
    bool good =
        run_bind(p->e, p->e->composed->kernel, device_info(), &p->numbers, p->results, p->site);
    p->outcome = good ? DONE : FAILED;
}

Outcome run_device(Evaluation *e, Numbers *n, const Results *r, const CsSite *site)
{
    Composed *c = e->composed;
    const CgSchedule *schedule = &n->schedule;
    int shares = rt.ranks.size ? divide_shares(e, n) : 1;
    bool can_fail = numbers_can_fail(e, n);
    if (!device_nothing(numbers_nothing(e), site)) return FAILED;
    dump_launches(c->kernel, schedule);
    DeviceProgram *p = kernels_program(c->kernel, n->variant, site);
    if (!p) return FAILED;
    if (!run_take(e, n, r, true, site)) return FAILED;
    NativeRun shared = run_shared(e, n, r, shares, site);
    if (cs_pending) return FAILED;
    measure(e, n, device_info(), false, shared.division ? 1.0 / shares : 1, site);
    divide_dump(shared.division, schedule);
    divide_tell(e, n, shared.division, !shared.meets, site);
    DeviceRun run = {.program = p, .schedule = schedule, .slots = n->slots, .outs = r->buffers};
    Together t = {.run = &shared, .device = &run};
    bool good =
        rt.ranks.size ? together_on_device(&t, can_fail, site) : device_run(&run, can_fail, site);
    uint32_t words[CG_ERROR_WORDS];
    if (!good || !run_is_over(site)) return FAILED;
    if (!can_fail) return DONE;
    return device_errors(words, site) ? run_outcome(e, words, site) : FAILED;
}

bool run_device_alone(const Preparation *p)
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

bool run_device_large(const Preparation *p)
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
