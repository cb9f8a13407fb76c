/* Native kernels (native.h): which form, and runs. */
#include "native.h"

#include <stdatomic.h>
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

enum {
    SESSION_WORK = 1 << 30,  /* of what somebody waits for: builds of kernels take longer */
    SMALL_WORK = 1 << 22,    /* a millisecond: less than opening a device takes, with many such */
    FIRST_NANOS = 100000000, /* opening a device takes 50 ms, a second if its caches are empty */
    ALONE_WORK = 1 << 17,    /* of one work-item: a millisecond, and copies of operands take less */
    SHARED_WORK = 1 << 12,   /* from here on threads may help */
    SURELY_WORK = 1 << 20,   /* from here on they do */
    WORTH_NANOS = 4000,      /* help costs half of it: words and results go from cache to cache */
    TRIAL_SHARE = 16,        /* of so many items one is timed .. */
    TRIAL_EVERY = 64,        /* .. in the first few launches and every so often */
    SPEEDS = 64
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
    const CsCode *best = NULL;
    for (int32_t i = 0; i < k->ncodes; i++)
        if (cg_native_level_runs((CgNativeLevel)k->codes[i].level)) best = &k->codes[i];
    return best;
}

size_t native_l2(void)
{
    if (!rt.l2_read) { /* asked once: virtual machines take long to answer */
        long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
        rt.l2 = l2 > 0 ? (size_t)l2 : 0;
        rt.l2_read = true;
    }
    return rt.l2;
}

CgDevice native_device(const CsCode *form)
{
    CgDevice d = cg_native_device((CgNativeLevel)form->level, pool_units());
    d.cache = native_l2() ? native_l2() : d.l2;
    return d;
}

bool native_is_full(const CsCode *form)
{
    return !cg_native_level_runs((CgNativeLevel)form->level + 1);
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

NativeWhen native_when(bool full, bool exact, double work)
{
    NativeUse use = native_use();
    if (use == NATIVE_NEVER) return NATIVE_NOT;
    if (use == NATIVE_ALL || is_small(work)) return NATIVE_ALWAYS;
    if (full) return NATIVE_PROCESSOR;
    if (exact && native_makes()) return NATIVE_MEANWHILE;
    bool begins = !rt.device && rt.native_nanos < FIRST_NANOS && work <= FIRST_WORK;
    return exact && begins ? NATIVE_UNOPENED : NATIVE_NOT;
}

NativeWhen native_alone(double work)
{
    return native_use() != NATIVE_NEVER && work >= ALONE_WORK ? NATIVE_ALWAYS : NATIVE_NOT;
}

/* ---- what kernels call ------------------------------------------------------------------------- */

/* The share of a launch that a thread works on. */
typedef struct Place {
    uint64_t launch;
    int64_t from;
} Place;

static _Thread_local Place here;

/* Of several failures of a launch the first share's first one counts, whichever thread comes first,
 * so that each run tells the same; later launches say no more. */
void cs_kernel_fail(uint32_t *error, int64_t kind, int64_t site, int64_t index, int64_t lo,
                    int64_t n)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    static Place told;
    _Atomic uint32_t *first = (_Atomic uint32_t *)error;
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
    uint32_t is = atomic_load(first);
    if (is == CG_ERR_NONE || is == CG_ERR_NOTED ||
        (told.launch == here.launch && here.from < told.from)) {
        told = here;
        error[1] = (uint32_t)site;
        const int64_t numbers[] = {index, lo, n};
        for (int i = 0; i < 3; i++) {
            error[2 + 2 * i] = (uint32_t)numbers[i];
            error[3 + 2 * i] = (uint32_t)((uint64_t)numbers[i] >> 32);
        }
        atomic_store(first, (uint32_t)kind);
    }
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* ---- runs -------------------------------------------------------------------------------------- */

enum { MAX_ARGS = 64 };

typedef struct Job {
    CsKernelCode *code;
    const uint64_t *args;
    const CsKernelAt *at; /* sizes and variant */
    uint64_t number;      /* of the launch */
    int64_t done;         /* items that are done already */
    bool fast;            /* denormals are zero */
} Job;

/* What a thread's reals do with denormals; gives what they did before. */
static unsigned denormals(unsigned control)
{
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    if (control != before) __builtin_ia32_ldmxcsr(control);
    return before;
#else
    return control;
#endif
}

static unsigned denormals_are_zero(void)
{
    enum { RESULTS = 1 << 15, OPERANDS = 1 << 6 }; /* of MXCSR: flush to zero, are zero */
#if defined(__x86_64__)
    return denormals(__builtin_ia32_stmxcsr() | RESULTS | OPERANDS);
#else
    return 0;
#endif
}

static void do_items(const void *job, int64_t from, int64_t to)
{
    const Job *j = job;
    unsigned before = j->fast ? denormals_are_zero() : 0;
    CsKernelAt at = *j->at;
    here = (Place){j->number, from};
    at.id[0] = from % at.size[0];
    at.id[1] = from / at.size[0] % at.size[1];
    at.id[2] = from / at.size[0] / at.size[1];
    bool stops = rt.stops;
    for (int64_t i = from; i < to; i++) {
        if (stops && interrupted()) return;
        j->code(j->args, &at);
        if (++at.id[0] < at.size[0]) continue;
        at.id[0] = 0;
        if (++at.id[1] < at.size[1]) continue;
        at.id[1] = 0;
        at.id[2]++;
    }
    if (j->fast) denormals(before);
}

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

static void do_rest(const void *job, int64_t from, int64_t to)
{
    const Job *j = job;
    do_items(j, from + j->done, to + j->done);
}

/* What a kernel takes alone: the work of an evaluation says little of time, vectors do a hundred
 * operations where a loop does one. So a few items are timed at times. */
typedef struct Speed {
    CsKernelCode *code;
    double nanos; /* for each operation */
    uint32_t asked;
} Speed;

static Speed *speed_of(CsKernelCode *code)
{
    static Speed speeds[SPEEDS]; /* the host's thread alone launches */
    Speed *s = &speeds[((uintptr_t)code >> 4) % SPEEDS];
    if (s->code != code) *s = (Speed){.code = code};
    return s;
}

/* Would the others' help come too late? */
static bool is_done_sooner_alone(Job *job, double work, int64_t items)
{
    Speed *s = speed_of(job->code);
    uint32_t asked = s->asked++;
    if ((asked & (asked - 1)) == 0 || asked % TRIAL_EVERY == 0) {
        int64_t some = (items + TRIAL_SHARE - 1) / TRIAL_SHARE;
        uint64_t begin = native_clock();
        do_items(job, 0, some);
        s->nanos = (double)(native_clock() - begin) * (double)items / (double)some / work;
        job->done = some;
    }
    return s->nanos * work < WORTH_NANOS;
}

static void do_all(Job *job, double work, int64_t items)
{
    bool alone = work < SHARED_WORK || items == 1;
    if (!alone && work < SURELY_WORK) alone = is_done_sooner_alone(job, work, items);
    if (alone)
        do_items(job, job->done, items);
    else
        pool_run(do_rest, job, items - job->done);
}

/* Pointers of the host, in place of buffers. */
typedef struct Memory {
    void *const *slots, *const *temps, *const *outs;
    uint32_t *errors;
} Memory;

static void *memory_of(const Memory *m, const CgArg *a)
{
    void *p = a->kind == CG_ARG_SLOT   ? m->slots[a->index]
              : a->kind == CG_ARG_TEMP ? m->temps[a->index]
              : a->kind == CG_ARG_OUT  ? m->outs[a->index]
                                       : m->errors;
    return p ? p : memory_nothing();
}

/* Of the buffers that a launch touches, each once. */
static uint64_t bytes_of(const NativeRun *r, const CgLaunch *l)
{
    uint64_t bytes = 0;
    for (int i = 0; i < l->nargs; i++) {
        const CgArg *a = &l->args[i];
        const Buffer *b = a->kind == CG_ARG_SLOT  ? r->slots[a->index]
                          : a->kind == CG_ARG_OUT ? r->outs[a->index]
                                                  : NULL;
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || (l->args[k].kind == a->kind && l->args[k].index == a->index);
        if (a->kind == CG_ARG_TEMP && !again) bytes += r->schedule->temp_bytes[a->index];
        if (b && !again) bytes += b->bytes;
    }
    return bytes;
}

/* NULL: it was not foreseen that it would run. */
static CsKernelCode *code_of(const CsCode *form, const CgPlan *plan, const char *kernel)
{
    const char *const *names;
    int n = cg_plan_kernels(plan, &names), k = 0;
    while (k < n && names[k] != kernel) k++; /* a schedule has the plan's own names */
    return k < n ? form->kernels[k] : NULL;
}

bool native_has(const CsCode *form, const CgPlan *plan, const CgSchedule *s)
{
    for (int i = 0; i < s->nlaunches; i++)
        if (!code_of(form, plan, s->launches[i].kernel)) return false;
    return true;
}

static bool launch(const NativeRun *r, const CgLaunch *l, const Memory *m, uint64_t *args,
                   const CsSite *site)
{
    CsKernelCode *code = code_of(r->form, r->plan, l->kernel);
    if (!code) {
        rt_throw(RT_DEVICE, site, "kernel %s is missing in the program", l->kernel);
        return false;
    }
    for (int i = 0; i < l->nargs; i++) {
        const CgArg *a = &l->args[i];
        args[i] = 0;
        if (a->kind == CG_ARG_BYTES) {
            memcpy(&args[i], a->bytes, a->size);
        } else {
            void *p = memory_of(m, a);
            memcpy(&args[i], &p, sizeof p);
        }
    }
    CsKernelAt at = {.size = {1, 1, 1}, .variant = r->variant};
    int64_t items = 1;
    for (int d = 0; d < l->dims; d++) items *= at.size[d] = (int64_t)l->global[d];
    static uint64_t launches; /* the host's thread alone launches */
    Job job = {.code = code, .args = args, .at = &at, .number = ++launches};
    job.fast = cg_plan_reals(r->plan) == FD_REALS_FAST;
    uint64_t traced = trace_now(), start = rt_profiling() ? native_clock() : 0;
    do_all(&job, r->work, items);
    if (traced) trace_kernel(TRACE_NATIVE, l->kernel, profile_now(), traced, trace_now());
    if (start) profile_add(profile_now(), l->kernel, native_clock() - start, bytes_of(r, l));
    return true;
}

/* The host's side of buffers. */
static void **sides(Buffer *const *buffers, int n, bool write, void **out, const CsSite *site)
{
    for (int i = 0; i < n; i++) {
        out[i] = NULL;
        if (buffers[i] && !(out[i] = buffer_host(buffers[i], write, site))) return NULL;
    }
    return out;
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
    void *few[MAX_ARGS] = {0}, **all = few;
    if (room > MAX_ARGS && !(all = mem_object(room * sizeof *all))) {
        rt_throw_memory(site, room);
        return false;
    }
    void **slots = all, **temps = slots + r->nslots + 1, **outs = temps + s->ntemps + 1;
    Buffer **buffers = (Buffer **)(outs + s->nouts + 1);
    uint64_t *args = (uint64_t *)(buffers + s->ntemps + 1);
    memset(words, 0, CG_ERROR_WORDS * sizeof *words);
    bool ok = true;
    for (int i = 0; ok && i < s->ntemps; i++)
        ok = s->temp_bytes[i] == 0 || (buffers[i] = buffer_new(s->temp_bytes[i], false, site));
    ok = ok && sides(r->slots, r->nslots, false, slots, site) &&
         sides(buffers, s->ntemps, true, temps, site) && sides(r->outs, s->nouts, true, outs, site);
    Memory m = {slots, temps, outs, words};
    Guarded *copies = NULL;
    if (ok && guard_wanted() && !(ok = guard(r, slots, temps, outs, &copies)))
        rt_throw_memory(site, 0);
    /* a kernel that fails leaves the rest undone, which those behind it must not take for numbers */
    bool large = !is_small(r->work);
    uint64_t begin = large ? own_nanos() : 0;
    for (int i = 0; ok && i < s->nlaunches; i++)
        if (words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED)
            ok = launch(r, &s->launches[i], &m, args, site);
    if (large) rt.native_nanos += own_nanos() - begin;
    guard_end(copies);
    for (int i = 0; i < s->ntemps; i++) buffer_release(buffers[i]);
    if (all != few) mem_object_free(all);
    return ok;
}
