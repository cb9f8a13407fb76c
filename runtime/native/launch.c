/* Launches of native kernels (launch.h), and what kernels call. */
#include "launch.h"

#include <stdatomic.h>
#include <string.h>

#include "../device/memory.h"
#include "../device/profile.h"
#include "../device/trace.h"
#include "../interrupt.h"
#include "../pool.h"
#include "../state.h"

enum {
    SHARED_WORK = 1 << 12, /* from here on threads may help */
    SURELY_WORK = 1 << 20, /* from here on they do */
    WORTH_NANOS = 4000,    /* help costs half of it: words and results go from cache to cache */
    TRIAL_SHARE = 16,      /* of so many items one is timed .. */
    TRIAL_EVERY = 64,      /* .. in the first few launches and every so often */
    SPEEDS = 64
};

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

typedef struct Job {
    CsKernelCode *code;
    const uint64_t *args;
    const CsKernelAt *at; /* sizes and variant */
    uint64_t number;      /* of the launch */
    int64_t done;         /* items that are done already */
    int64_t lo[3], n[3];  /* first item, and how many */
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
    int64_t end[3];
    for (int d = 0; d < 3; d++) {
        at.id[d] = j->lo[d];
        end[d] = j->lo[d] + j->n[d];
    }
    if (from) { /* not so for few items: divisions take longer than they */
        at.id[0] += from % j->n[0];
        at.id[1] += from / j->n[0] % j->n[1];
        at.id[2] += from / j->n[0] / j->n[1];
    }
    bool stops = rt.stops;
    for (int64_t i = from; i < to; i++) {
        if (stops && interrupted()) return;
        j->code(j->args, &at);
        if (++at.id[0] < end[0]) continue;
        at.id[0] = j->lo[0];
        if (++at.id[1] < end[1]) continue;
        at.id[1] = j->lo[1];
        at.id[2]++;
    }
    if (j->fast) denormals(before);
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

bool launch_run(const NativeRun *r, const CgLaunch *l, const DivisionRange *share, const Memory *m,
                uint64_t *args, const CsSite *site)
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
            memcpy(&args[i], a->bytes, sizeof a->bytes); /* zeros behind its size */
        } else {
            void *p = memory_of(m, a);
            memcpy(&args[i], &p, sizeof p);
        }
    }
    CsKernelAt at = {.size = {1, 1, 1}, .variant = r->variant};
    int64_t items = 1, all = 1;
    static uint64_t launches; /* the host's thread alone launches */
    Job job = {.code = code, .args = args, .at = &at, .number = ++launches, .n = {1, 1, 1}};
    for (int d = 0; d < l->dims; d++) all *= job.n[d] = at.size[d] = (int64_t)l->global[d];
    if (share) job.n[share->dim] = share->to - share->from;
    for (int d = 0; d < l->dims; d++) items *= job.n[d];
    if (items <= 0) return true;
    job.fast = cg_plan_reals(r->plan) == FD_REALS_FAST;
    uint64_t traced = trace_now(), start = rt_profiling() ? native_clock() : 0;
    if (share) job.lo[share->dim] = share->from;
    do_all(&job, r->work * (double)items / (double)all, items);
    if (traced) trace_kernel(TRACE_NATIVE, l->kernel, profile_now(), traced, trace_now());
    if (start) rt.ranks.account.kernels += native_clock() - start;
    if (!start) return true;
    double part = (double)items / (double)all;
    uint64_t bytes = (uint64_t)((double)bytes_of(r, l) * part);
    profile_add(profile_now(), l->kernel, native_clock() - start, bytes);
    return true;
}
