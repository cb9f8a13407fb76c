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
    const LaunchItems *of;
    const uint64_t *args;
    uint64_t number; /* of the launch */
    int64_t done;    /* items that are done already */
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
    const LaunchItems *of = j->of;
    unsigned before = of->fast ? denormals_are_zero() : 0;
    CsKernelAt at = of->at;
    here = (Place){j->number, from};
    if (from) { /* not so for few items: divisions take longer than they */
        at.id[0] += from % of->n[0];
        at.id[1] += from / of->n[0] % of->n[1];
        at.id[2] += from / of->n[0] / of->n[1];
    }
    bool stops = rt.stops;
    for (int64_t i = from; i < to; i++) {
        if (stops && interrupted()) return;
        of->code(j->args, &at);
        if (++at.id[0] < of->at.id[0] + of->n[0]) continue;
        at.id[0] = of->at.id[0];
        if (++at.id[1] < of->at.id[1] + of->n[1]) continue;
        at.id[1] = of->at.id[1];
        at.id[2]++;
    }
    if (of->fast) denormals(before);
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
static bool is_done_sooner_alone(Job *job)
{
    const int64_t items = job->of->items;
    const double work = job->of->work;
    Speed *s = speed_of(job->of->code);
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

void launch_all(const LaunchItems *of, const uint64_t *args)
{
    static uint64_t launches; /* the host's thread alone launches */
    bool alone = of->work < SHARED_WORK || of->items == 1;
    if (of->items == 1 && !of->fast) {
        here = (Place){++launches, 0};
        if (!rt.stops || !interrupted()) of->code(args, &of->at);
        return;
    }
    Job job = {of, args, ++launches, 0};
    if (!alone && of->work < SURELY_WORK) alone = is_done_sooner_alone(&job);
    if (alone)
        do_items(&job, job.done, of->items);
    else
        pool_run(do_rest, &job, of->items - job.done);
}

bool launch_sides(Buffer *const *buffers, int n, bool write, void **out, const CsSite *site)
{
    for (int i = 0; i < n; i++) {
        out[i] = NULL;
        Buffer *b = buffers[i];
        if (b && !(out[i] = buffer_at_hand(b, write)) &&
            !(out[i] = buffer_host_part(b, write, site)))
            return false;
    }
    return true;
}

void *launch_memory(const Memory *m, CgArgKind kind, int index)
{
    void *p = kind == CG_ARG_SLOT   ? m->slots[index]
              : kind == CG_ARG_TEMP ? m->temps[index]
              : kind == CG_ARG_OUT  ? m->outs[index]
                                    : m->errors;
    return p ? p : memory_nothing();
}

void launch_value(const CgArg *a, uint64_t *to)
{
    if (a->kind == CG_ARG_BYTES) memcpy(to, a->bytes, sizeof a->bytes); /* zeros behind its size */
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

void launch_sizes(const CgLaunch *l, LaunchItems *items)
{
    items->items = 1;
    for (int d = 0; d < 3; d++) {
        items->n[d] = items->at.size[d] = d < l->dims ? (int64_t)l->global[d] : 1;
        items->items *= items->n[d];
    }
}

bool launch_items(const NativeRun *r, const CgLaunch *l, LaunchItems *out)
{
    *out = (LaunchItems){.code = code_of(r->form, r->plan, l->kernel),
                         .at = {.variant = r->variant},
                         .work = r->work,
                         .fast = cg_plan_reals(r->plan) == FD_REALS_FAST};
    launch_sizes(l, out);
    return out->code != NULL;
}

/* The share of them alone. */
static void take_share(LaunchItems *of, const DivisionRange *share)
{
    const int64_t all = of->items;
    of->at.id[share->dim] = share->from;
    of->n[share->dim] = share->to - share->from;
    of->items = of->n[0] * of->n[1] * of->n[2];
    of->work *= all ? (double)of->items / (double)all : 0;
}

bool launch_run(const NativeRun *r, const CgLaunch *l, const DivisionRange *share, const Memory *m,
                uint64_t *args, const CsSite *site)
{
    LaunchItems of;
    if (!launch_items(r, l, &of)) {
        rt_throw(RT_DEVICE, site, "kernel %s is missing in the program", l->kernel);
        return false;
    }
    for (int i = 0; i < l->nargs; i++) {
        const CgArg *a = &l->args[i];
        args[i] = 0;
        launch_value(a, &args[i]);
        if (a->kind == CG_ARG_BYTES) continue;
        void *p = launch_memory(m, a->kind, a->index);
        memcpy(&args[i], &p, sizeof p);
    }
    const int64_t all = of.items;
    if (share) take_share(&of, share);
    if (of.items <= 0) return true;
    uint64_t traced = trace_now(), start = rt_profiling() ? native_clock() : 0;
    launch_all(&of, args);
    if (traced) trace_kernel(TRACE_NATIVE, l->kernel, profile_now(), traced, trace_now());
    if (start) rt.ranks.account.kernels += native_clock() - start;
    if (!start) return true;
    double part = (double)of.items / (double)all;
    uint64_t bytes = (uint64_t)((double)bytes_of(r, l) * part);
    profile_add(profile_now(), l->kernel, native_clock() - start, bytes);
    return true;
}
