/* The pool (pool.h). `ticket` says which job is there (its upper half) and how many of its shares are
 * taken (its lower half); a thread takes shares by counting it up, which fails once another job is
 * there. So what a thread has read of a job is the job's whose share it then gets, and nobody waits
 * for threads that have none. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "futex.h"
#include "state.h"

enum {
    MAX_THREADS = 256,
    STACK = 2 << 20,     /* kernels have arrays of up to half of that */
    SPIN_NANOS = 50000,  /* waking a thread takes as long */
    SHARES_A_THREAD = 8, /* so that one that is late leaves little to the others */
};

struct Pool {
    void *base;    /* of its memory */
    pid_t process; /* whose threads they are */
    int nthreads;  /* besides the caller */
    pthread_t threads[MAX_THREADS];
    _Alignas(64) _Atomic uint64_t ticket;
    _Atomic(PoolWork *) work;
    _Atomic(const void *) job;
    _Atomic int64_t items, share; /* items of a share */
    _Atomic uint32_t shares;
    _Alignas(64) _Atomic uint32_t over; /* shares done */
    _Alignas(64) _Atomic uint32_t bell; /* counts jobs; sleepers wait for it to change */
    _Atomic int sleepers;
    _Atomic bool ending;
};

/* Takes and does shares of the job that is there until there are none. */
static void help(struct Pool *p)
{
    uint64_t ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
    uint32_t job = (uint32_t)(ticket >> 32);
    PoolWork *work = atomic_load_explicit(&p->work, memory_order_acquire);
    const void *of = atomic_load_explicit(&p->job, memory_order_acquire);
    int64_t items = atomic_load_explicit(&p->items, memory_order_acquire),
            share = atomic_load_explicit(&p->share, memory_order_acquire);
    uint32_t shares = atomic_load_explicit(&p->shares, memory_order_acquire);
    while ((uint32_t)(ticket >> 32) == job && (uint32_t)ticket < shares) {
        if (!atomic_compare_exchange_weak_explicit(&p->ticket, &ticket, ticket + 1,
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;
        int64_t from = (int64_t)(uint32_t)ticket * share, to = from + share;
        work(of, from, to < items ? to : items);
        atomic_fetch_add_explicit(&p->over, 1, memory_order_release);
        ticket = atomic_load_explicit(&p->ticket, memory_order_acquire);
    }
}

/* Waits until there is another job than the one that `heard` counts. */
static uint32_t wait_for_bell(struct Pool *p, uint32_t heard)
{
    enum { LOOKS = 64 }; /* between two looks at the clock */
    int64_t until = futex_now() + SPIN_NANOS;
    uint32_t bell;
    do {
        for (int i = 0; i < LOOKS; i++) {
            bell = atomic_load_explicit(&p->bell, memory_order_acquire);
            if (bell != heard) return bell;
            futex_relax();
        }
    } while (futex_now() < until);
    atomic_fetch_add(&p->sleepers, 1);
    while ((bell = atomic_load(&p->bell)) == heard) futex_wait(&p->bell, heard, FUTEX_PRIVATE_FLAG);
    atomic_fetch_sub(&p->sleepers, 1);
    return bell;
}

static void *thread(void *pool)
{
    struct Pool *p = pool;
    uint32_t heard = 0;
    for (;;) {
        heard = wait_for_bell(p, heard);
        if (atomic_load(&p->ending)) return NULL;
        help(p);
    }
}

static void ring(struct Pool *p)
{
    atomic_fetch_add(&p->bell, 1);
    if (atomic_load(&p->sleepers) > 0) futex_wake(&p->bell, FUTEX_PRIVATE_FLAG);
}

int pool_units(void)
{
    if (rt.units) return rt.units;
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (rt.ranks.size) n /= rt.ranks.sharing;
    return rt.units = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

/* NULL: there is no second processor, or no memory; the caller works alone. */
static struct Pool *pool(void)
{
    if (rt.pool && rt.pool->process != getpid()) rt.pool = NULL; /* of who forked this process */
    if (rt.pool || pool_units() < 2) return rt.pool;
    struct Pool *p = mem_object(sizeof *p + 64); /* zeroed */
    if (!p) return NULL;
    void *base = p;
    p = (struct Pool *)(((uintptr_t)base + 63) & ~(uintptr_t)63);
    p->base = base;
    p->process = getpid();
    rt.pool = p;
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < rt.units; i++)
        if (pthread_create(&p->threads[p->nthreads], &attributes, thread, p) == 0) p->nthreads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return p;
}

void pool_run(PoolWork *work, const void *job, int64_t items)
{
    struct Pool *p = items > 1 ? pool() : NULL;
    if (!p || !p->nthreads) {
        work(job, 0, items);
        return;
    }
    int64_t wanted = (int64_t)rt.units * SHARES_A_THREAD;
    int64_t share = (items + wanted - 1) / wanted;
    uint32_t shares = (uint32_t)((items + share - 1) / share);
    uint64_t number = (atomic_load_explicit(&p->ticket, memory_order_relaxed) >> 32) + 1;
    /* Closed: whoever has read the old ticket, and then these, gets no share by them. */
    atomic_store(&p->ticket, number << 32 | UINT32_MAX);
    atomic_store_explicit(&p->work, work, memory_order_release);
    atomic_store_explicit(&p->job, job, memory_order_release);
    atomic_store_explicit(&p->items, items, memory_order_release);
    atomic_store_explicit(&p->share, share, memory_order_release);
    atomic_store_explicit(&p->shares, shares, memory_order_release);
    atomic_store_explicit(&p->over, 0, memory_order_release);
    atomic_store_explicit(&p->ticket, number << 32, memory_order_release);
    ring(p);
    help(p);
    while (atomic_load_explicit(&p->over, memory_order_acquire) < shares) futex_relax();
}

void pool_end(void)
{
    struct Pool *p = rt.pool;
    if (!p) return;
    atomic_store(&p->ending, true);
    if (p->process == getpid()) {
        ring(p);
        for (int i = 0; i < p->nthreads; i++) pthread_join(p->threads[i], NULL);
    }
    rt.pool = NULL;
    mem_object_free(p->base);
}
