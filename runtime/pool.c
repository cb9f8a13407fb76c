/* The pool (pool.h). The shares of a job are divided among the threads in order, so that who worked on a part of an
 * array in the job before, and has it in its cache, gets that part again. Each takes its own from the front and then
 * those of the others from the back.
 *
 * `open` counts twice a job: it is odd while a job is there, whose number it is then. A thread that read it, what the
 * job is, took a share and finds `open` unchanged has a share of that job; else what it took counts for nothing, since
 * its number is old. So nobody waits for threads that have none. */
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

/* Shares taken of a thread's: the job's number, how many from the front and from the back. */
enum { BACK_BITS = 10, FRONT_BITS = 10, COUNTS = BACK_BITS + FRONT_BITS };
typedef struct Own {
    _Alignas(64) _Atomic uint64_t taken;
} Own;

struct Pool {
    void *base;    /* of its memory */
    pid_t process; /* whose threads they are */
    int nthreads;  /* besides the caller */
    pthread_t threads[MAX_THREADS];
    _Alignas(64) _Atomic uint64_t open;
    _Atomic(PoolWork *) work;
    _Atomic(const void *) job;
    _Atomic int64_t items, share; /* items of a share */
    _Atomic uint32_t shares;
    _Alignas(64) _Atomic uint32_t over; /* shares done */
    _Atomic uint32_t begun;
    _Alignas(64) _Atomic uint32_t bell; /* counts jobs; sleepers wait for it to change */
    _Atomic int sleepers;
    _Atomic uint32_t known; /* threads that have a number */
    _Atomic bool ending;
    Own own[MAX_THREADS]; /* the caller's and the others' */
};

/* The next share of a thread's in a job of so many; -1: it has none left. */
static int64_t take(struct Pool *p, uint32_t whose, bool own, uint64_t number, uint32_t shares)
{
    uint32_t n = (uint32_t)p->nthreads + 1, lo = whose * shares / n, hi = (whose + 1) * shares / n;
    _Atomic uint64_t *at = &p->own[whose].taken;
    uint64_t old = atomic_load(at);
    for (;;) {
        if (old >> COUNTS > number) return -1; /* this thread is late */
        uint64_t taken = old >> COUNTS == number ? old : number << COUNTS;
        uint32_t back = taken % (1 << BACK_BITS), front = (taken >> BACK_BITS) % (1 << FRONT_BITS);
        if (front + back >= hi - lo) return -1;
        if (atomic_compare_exchange_weak(at, &old, taken + (own ? 1 << BACK_BITS : 1)))
            return own ? lo + front : hi - 1 - back;
    }
}

/* Takes and does shares of the job that is there until there are none. */
static void help(struct Pool *p, uint32_t me)
{
    uint64_t number = atomic_load(&p->open);
    uint32_t n = (uint32_t)p->nthreads + 1;
    if (number % 2 == 0) return;
    PoolWork *work = atomic_load_explicit(&p->work, memory_order_acquire);
    const void *of = atomic_load_explicit(&p->job, memory_order_acquire);
    int64_t items = atomic_load_explicit(&p->items, memory_order_acquire),
            share = atomic_load_explicit(&p->share, memory_order_acquire);
    uint32_t shares = atomic_load_explicit(&p->shares, memory_order_acquire);
    for (uint32_t k = 0; k < n; k++) {
        int64_t next;
        while (atomic_load_explicit(&p->begun, memory_order_acquire) < shares &&
               (next = take(p, (me + k) % n, k == 0, number, shares)) >= 0) {
            if (atomic_load(&p->open) != number) return;
            atomic_fetch_add_explicit(&p->begun, 1, memory_order_acq_rel);
            int64_t from = next * share, to = from + share;
            work(of, from, to < items ? to : items);
            atomic_fetch_add_explicit(&p->over, 1, memory_order_release);
        }
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
    uint32_t heard = 0, me = atomic_fetch_add(&p->known, 1) + 1;
    for (;;) {
        heard = wait_for_bell(p, heard);
        if (atomic_load(&p->ending)) return NULL;
        help(p, me);
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
    p->open = 1; /* a job of no shares */
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
    int64_t wanted = (int64_t)(p->nthreads + 1) * SHARES_A_THREAD;
    int64_t share = (items + wanted - 1) / wanted;
    uint32_t shares = (uint32_t)((items + share - 1) / share);
    atomic_fetch_add(&p->open,
                     1); /* closed: whoever has read it, and then these, gets no share by them */
    atomic_store_explicit(&p->work, work, memory_order_release);
    atomic_store_explicit(&p->job, job, memory_order_release);
    atomic_store_explicit(&p->items, items, memory_order_release);
    atomic_store_explicit(&p->share, share, memory_order_release);
    atomic_store_explicit(&p->shares, shares, memory_order_release);
    atomic_store_explicit(&p->over, 0, memory_order_release);
    atomic_store_explicit(&p->begun, 0, memory_order_release);
    atomic_fetch_add(&p->open, 1);
    ring(p);
    help(p, 0);
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
