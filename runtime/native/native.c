/* Native kernels (native.h): which form, and runs. */
#include "native.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../fdag/fdag.h"
#include "../device/device.h"
#include "../device/memory.h"
#include "../device/profile.h"
#include "../device/trace.h"
#include "../interrupt.h"
#include "../pool.h"
#include "../state.h"
#include "compiler.h"
#include "guard.h"
#include "together.h"

enum {
    SESSION_WORK = 1 << 30,  /* of what somebody waits for: builds of kernels take longer */
    SMALL_WORK = 1 << 22,    /* a millisecond: less than opening a device takes, with many such */
    FIRST_NANOS = 100000000, /* opening a device takes 50 ms, a second if its caches are empty */
    QUICK_WORK =
        1 << 16, /* in quick code some 30 us: a thousand of them until csc has made better code */
    ALONE_WORK = 1 << 17 /* of one work-item: a millisecond, and copies of operands take less */
};
static const double FIRST_WORK = 1L << 33; /* of a single evaluation before a device is opened */

/* ---- which ------------------------------------------------------------------------------------- */

NativeUse native_use(void)
{
    if (device_is_used()) return device_is_native() ? NATIVE_ALL : NATIVE_NEVER;
    if (rt.native_read) return (NativeUse)(rt.native_read - 1);
    const char *device = rt_device_wish(), *family = getenv("CS_FAMILY");
    bool any = !device || !*device;
    NativeUse use = NATIVE_NEVER;
    if (!any && strcmp(device, "native") == 0) use = NATIVE_ALL;
    if (any && (!family || !*family)) use = NATIVE_SMALL;
    rt.native_read = (int)use + 1;
    return use;
}

const CsCode *native_form(const CsKernel *k)
{
    unsigned there = 0;
    for (int32_t i = 0; i < k->ncodes; i++) there |= 1u << k->codes[i].level;
    int best = k->ncodes ? cg_native_best(there) : -1;
    for (int32_t i = 0; i < k->ncodes; i++)
        if (k->codes[i].level == best) return &k->codes[i];
    return NULL;
}

size_t native_l2(void)
{
    if (!rt.l2_read) { /* asked once: virtual machines take long to answer */
        long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
        long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
        rt.l2 = l2 > 0 ? (size_t)l2 : 0;
        const size_t near = cg_close_cache();
        rt.l3 = near ? near : l3 > 0 ? (size_t)l3 : 0;
        const char *close = getenv("CS_CLOSE");
        rt.close = close ? (size_t)strtoull(close, NULL, 10) : near / 2;
        rt.l2_read = true;
    }
    return rt.l2;
}

size_t native_close(void)
{
    native_l2();
    return rt.close;
}

CgDevice native_device(const CsCode *form)
{
    CgDevice d =
        cg_native_device((CgNativeLevel)form->level, rt.ranks.size ? rt.ranks.units : pool_units());
    d.places = rt.ranks.size ? rt.ranks.size : rt.ranks.blocks;
    d.cache = native_l2() ? native_l2() : d.l2;
    if (rt.l3 > d.l3) d.l3 = rt.l3 < CG_MOST_L3 ? rt.l3 : CG_MOST_L3;
    if (rt.ranks.machines > 1) d.l3 *= (size_t)rt.ranks.machines; /* which those units share */
    return d;
}

bool native_is_device(const CsSite *site)
{
    if (device_is_processor()) return true;
    if (device_open(site)) return device_info()->family == CG_CPU;
    if (rt.error.kind != RT_DEVICE) return false;
    rt_catch();
    return true;
}

bool native_makes(void)
{
    NativeUse use = native_use();
    bool home = use == NATIVE_ALL;
    if (use == NATIVE_SMALL)
        home = rt.device ? device_info()->family == CG_CPU : device_is_processor();
    return home && compiler_is_there();
}

static bool is_small(double work)
{
    return work <= (rt.session ? SESSION_WORK : SMALL_WORK);
}

NativeWhen native_when(const CsCode *form, bool exact, double work)
{
    NativeUse use = native_use();
    if (use == NATIVE_NEVER) return NATIVE_NOT;
    if (form->level == CG_NATIVE_QUICK && work > QUICK_WORK && native_makes())
        return exact ? NATIVE_MEANWHILE : NATIVE_NOT;
    if (use == NATIVE_ALL || is_small(work)) return NATIVE_ALWAYS;
    if (cg_native_is_full((CgNativeLevel)form->level)) return NATIVE_PROCESSOR;
    if (exact && native_makes()) return NATIVE_MEANWHILE;
    bool begins = !rt.device && rt.native_nanos < FIRST_NANOS && work <= FIRST_WORK;
    return exact && begins ? NATIVE_UNOPENED : NATIVE_NOT;
}

NativeWhen native_alone(double work)
{
    return native_use() != NATIVE_NEVER && work >= ALONE_WORK ? NATIVE_ALWAYS : NATIVE_NOT;
}

/* ---- runs -------------------------------------------------------------------------------------- */

enum { MAX_ARGS = 64 };

static uint64_t clock_nanos(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t native_clock(void)
{
    return clock_nanos(CLOCK_MONOTONIC);
}

/* Of the host's own thread, which works as long as the others: what else runs does not count. */
static uint64_t own_nanos(void)
{
    return clock_nanos(CLOCK_THREAD_CPUTIME_ID);
}

/* A copy of *at in its place (guard.h); a temporary's is garbage. */
static bool replace(void **at, size_t bytes, bool temporary, Guarded **copies, bool before)
{
    return !*at || (*at = guard_put(copies, temporary ? NULL : *at, bytes, before));
}

static bool guard(const NativeRun *r, void **slots, void **temps, void **outs, Guarded **copies)
{
    static uint64_t runs;
    bool before = ++runs & 1, ok = true;
    const CgSchedule *s = r->schedule;
    for (int i = 0; ok && i < r->nslots; i++)
        ok = replace(&slots[i], slots[i] ? r->slots[i]->bytes : 0, false, copies, before);
    for (int i = 0; ok && i < s->ntemps; i++)
        ok = replace(&temps[i], s->temp_bytes[i], true, copies, before);
    for (int i = 0; ok && i < s->nouts; i++)
        ok = replace(&outs[i], outs[i] ? r->outs[i]->bytes : 0, false, copies, before);
    return ok;
}

bool native_run(const NativeRun *r, uint32_t words[CG_ERROR_WORDS], const CsSite *site)
{
    const CgSchedule *s = r->schedule;
    int nargs = 1;
    for (int i = 0; i < s->nlaunches; i++)
        nargs = s->launches[i].nargs > nargs ? s->launches[i].nargs : nargs;
    size_t room = (size_t)(r->nslots + 2 * s->ntemps + s->nouts + nargs + 4);
    void *few[MAX_ARGS], **all = few;
    if (room > MAX_ARGS && !(all = mem_object(room * sizeof *all))) {
        rt_throw_memory(site, room);
        return false;
    }
    void **slots = all, **temps = slots + r->nslots + 1, **outs = temps + s->ntemps + 1;
    Buffer **buffers = (Buffer **)(outs + s->nouts + 1);
    uint64_t *args = (uint64_t *)(buffers + s->ntemps + 1);
    memset(words, 0, CG_ERROR_WORDS * sizeof *words);
    bool ok = true;
    for (int i = 0; i < s->ntemps; i++) buffers[i] = NULL;
    for (int i = 0; ok && i < s->ntemps; i++)
        ok = s->temp_bytes[i] == 0 || (buffers[i] = buffer_new(s->temp_bytes[i], false, site));
    ok = ok && launch_sides(r->slots, r->nslots, false, slots, site) &&
         launch_sides(buffers, s->ntemps, true, temps, site) &&
         launch_sides(r->outs, s->nouts, true, outs, site);
    Memory m = {slots, temps, outs, words};
    Guarded *copies = NULL;
    bool blocks = r->division && !rt.ranks.size;
    Together t = {.run = r, .memory = &m};
    ok = ok && (blocks || together_begin(&t, site));
    if (ok && !blocks && guard_wanted() && !(ok = guard(r, slots, temps, outs, &copies)))
        rt_throw_memory(site, 0);
    bool large = !is_small(r->work);
    uint64_t begin = large ? own_nanos() : 0;
    if (ok && blocks)
        ok = blocks_run(r, &m, args, site);
    else if (ok)
        ok = together_run(&t, args, site);
    if (!blocks) together_end(&t, ok);
    if (large) rt.native_nanos += own_nanos() - begin;
    guard_end(copies);
    for (int i = 0; i < s->ntemps; i++) buffer_release(buffers[i]);
    if (all != few) mem_object_free(all);
    return ok;
}
