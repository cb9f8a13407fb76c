/* Ranks of this machine: children of the first, which share a mapping with it. A step is a count of those who have
 * come. The last one combines the words, and lets the others go on.
 *
 * Whoever waits looks for some microseconds and sleeps then, at once if there are fewer processors than ranks. A
 * rank that has read the result of a step comes to the next one only afterwards. So one result is enough, and two
 * boards for what is sent: one is read while the other is written.
 *
 * The first rank is the process that was started: its streams, its exit code, the signals of its terminal. Children
 * pass it signals from outside, and the kernel kills them when it ends. It sees them end by SIGCHLD. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../base/system/process.h"
#include "../futex.h"
#include "ranks.h"
#include "transport.h"

enum { BOARD = 1 << 18, WINDOW = 1 << 19, SPIN_NANOS = 2000, LINE = 128 };

typedef struct Shared {
    _Alignas(LINE) _Atomic uint32_t come;   /* to this step */
    _Alignas(LINE) _Atomic uint32_t steps;  /* that are over */
    _Alignas(LINE) _Atomic uint32_t asleep; /* who waits for `steps` to change */
    _Alignas(LINE) RankWord result;
    _Alignas(LINE) char boards[2][BOARD];
    struct {
        _Alignas(LINE) RankWord word;
        _Atomic bool leaving; /* it may exit */
    } of[];
} Shared;

static struct {
    Shared *shared;
    char *windows; /* one of each rank: what it sends */
    int rank, size;
    uint32_t steps;      /* that this rank has seen */
    unsigned board;      /* the next one */
    bool crowded;        /* fewer processors than ranks */
    volatile pid_t *ids; /* rank 0's: of its children; 0: it has ended */
} here;

/* ---- steps --------------------------------------------------------------------------------- */

static bool is_over(void)
{
    return atomic_load_explicit(&here.shared->steps, memory_order_acquire) != here.steps;
}

static void wait_for_others(void)
{
    enum { LOOKS = 32 }; /* between two looks at the clock */
    Shared *s = here.shared;
    int64_t until = here.crowded ? 0 : futex_now() + SPIN_NANOS;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (is_over()) return;
            if (until) futex_relax();
        }
    } while (until && futex_now() < until);
    atomic_fetch_add(&s->asleep, 1);
    while (!is_over()) futex_wait(&s->steps, here.steps, 0);
    atomic_fetch_sub(&s->asleep, 1);
}

/* Nobody returns before all have come. with NULL: there are no words. */
static void meet(RankCombine *with)
{
    Shared *s = here.shared;
    if (atomic_fetch_add(&s->come, 1) + 1 < (uint32_t)here.size) {
        wait_for_others();
        here.steps++;
        return;
    }
    if (with) {
        s->result = s->of[0].word;
        for (int i = 1; i < here.size; i++) with(&s->result, &s->of[i].word);
    }
    atomic_store_explicit(&s->come, 0, memory_order_relaxed);
    atomic_store(&s->steps, ++here.steps);
    if (atomic_load(&s->asleep) > 0) futex_wake(&s->steps, 0);
}

static void combine(RankWord *word, RankCombine *with)
{
    here.shared->of[here.rank].word = *word;
    meet(with);
    *word = here.shared->result;
}

static void broadcast(int from, void *data, size_t bytes)
{
    char *at = data;
    for (size_t left = bytes; left > 0;) {
        size_t n = left < BOARD ? left : BOARD;
        char *board = here.shared->boards[here.board++ % 2];
        if (here.rank == from) memcpy(board, at, n);
        meet(NULL);
        if (here.rank != from) memcpy(at, board, n);
        at += n;
        left -= n;
    }
}

/* ---- what is sent ---------------------------------------------------------------------------- */

/* Of a block, which lies from *at on in what its rank sends in all, what comes in this round. */
static size_t in_round(const RankBlock *b, size_t at, size_t round, size_t *skip, char **window)
{
    size_t lo = round * WINDOW, hi = lo + WINDOW, end = at + b->bytes;
    size_t from = at > lo ? at : lo, to = end < hi ? end : hi;
    if (from >= to) return 0;
    *skip = from - at;
    *window = here.windows + (size_t)b->from * WINDOW + (from - lo);
    return to - from;
}

/* Each rank's blocks, one behind the other, pass through its window; rounds go on until the longest are through. */
static void exchange(const RankBlock *blocks, int n)
{
    size_t sent[RANKS_MOST], most = 0, skip, bytes;
    char *window;
    for (size_t round = 0; round == 0 || round * WINDOW < most; round++) {
        memset(sent, 0, sizeof sent);
        for (int i = 0; i < n; i++) {
            const RankBlock *b = &blocks[i];
            if (b->from == here.rank && (bytes = in_round(b, sent[b->from], round, &skip, &window)))
                memcpy(window, (const char *)b->at + skip, bytes);
            sent[b->from] += b->bytes;
            most = sent[b->from] > most ? sent[b->from] : most;
        }
        meet(NULL);
        memset(sent, 0, sizeof sent);
        for (int i = 0; i < n; i++) {
            const RankBlock *b = &blocks[i];
            bool mine = b->from != here.rank && (b->to == here.rank || b->to == RANKS_ALL);
            if (mine && (bytes = in_round(b, sent[b->from], round, &skip, &window)))
                memcpy((char *)b->at + skip, window, bytes);
            sent[b->from] += b->bytes;
        }
        meet(NULL);
    }
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void leave(void)
{
    for (int i = 1; i < here.size; i++)
        if (here.ids[i] > 0) kill(here.ids[i], SIGKILL);
    for (int i = 1; i < here.size; i++)
        if (here.ids[i] > 0)
            while (waitpid(here.ids[i], NULL, 0) < 0 && errno == EINTR) continue;
    for (int i = 1; i < here.size; i++) here.ids[i] = 0;
}

static void say(const char *text)
{
    size_t left = strlen(text);
    for (ssize_t n; left && (n = write(STDERR_FILENO, text, left)) > 0; left -= (size_t)n)
        text += n;
}

static void say_number(int n)
{
    char digits[12], *p = digits + sizeof digits - 1;
    *p = '\0';
    do *--p = (char)('0' + n % 10);
    while (n /= 10);
    say(p);
}

static struct {
    int rank, status;
} lost;

/* "rank 2 of 4 was ended by signal 9 (Killed)": of all functions a handler may call write. */
static void say_lost(void)
{
    bool by_signal = WIFSIGNALED(lost.status);
    const char *name = by_signal ? sigdescr_np(WTERMSIG(lost.status)) : NULL;
    say("rank ");
    say_number(lost.rank);
    say(" of ");
    say_number(here.size);
    say(by_signal ? " was ended by signal " : " ended alone, with exit code ");
    say_number(by_signal ? WTERMSIG(lost.status) : WEXITSTATUS(lost.status));
    if (name) {
        say(" (");
        say(name);
        say(")");
    }
    say("; the program ends\n");
}

/* Did the child end as it should? */
static bool is_well(int rank, int status)
{
    return WIFEXITED(status) && atomic_load(&here.shared->of[rank].leaving);
}

static _Noreturn void give_up(int code)
{
    if (here.rank == 0) {
        process_hold();
        process_end(code, leave);
    }
    ranks_let_first();
    _exit(code);
}

/* A child has ended. Async-signal-safe. */
static void on_child(void)
{
    for (int i = 1; i < here.size; i++) {
        int status;
        if (here.ids[i] <= 0 || waitpid(here.ids[i], &status, WNOHANG) != here.ids[i]) continue;
        here.ids[i] = 0;
        if (is_well(i, status)) continue;
        lost.rank = i;
        lost.status = status;
        int code = process_exit_code(status);
        process_end(code ? code : 1, say_lost);
    }
}

static bool end(void)
{
    bool well = true;
    atomic_store(&here.shared->of[here.rank].leaving, true);
    if (here.rank > 0) return true;
    sigset_t before = process_hold();
    for (int i = 1; i < here.size; i++) {
        int status = 0;
        while (here.ids[i] > 0 && waitpid(here.ids[i], &status, 0) < 0 && errno == EINTR) continue;
        here.ids[i] = 0;
        if (!WIFSIGNALED(status)) continue;
        lost.rank = i;
        lost.status = status;
        say_lost();
        well = false;
    }
    process_release(before);
    return well;
}

/* ---- the beginning --------------------------------------------------------------------------- */

static void refuse(const char *what)
{
    fprintf(stderr, "CS_RANKS=%d: %s: %s\n", here.size, what, strerror(errno));
    if (here.ids) leave();
    _exit(1);
}

/* A child lives no longer than its parent. */
static void begin_child(int rank, pid_t parent)
{
    here.rank = rank;
    memset((pid_t *)here.ids, 0,
           (size_t)here.size * sizeof *here.ids); /* they are no children of its own */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
    process_pass_signals(parent);
}

const Transport *here_start(int size, int *rank)
{
    static const Transport functions = {combine, broadcast, exchange, end, leave, give_up};
    cpu_set_t set;
    size_t words = sizeof *here.shared + (size_t)size * sizeof here.shared->of[0],
           bytes = words + (size_t)size * WINDOW;
    here.size = size;
    here.crowded = sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < size;
    void *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) refuse("no memory to share");
    here.shared = all;
    here.windows = (char *)all + words;
    here.ids = calloc((size_t)size, sizeof *here.ids);
    if (!here.ids) refuse("no memory");
    pid_t parent = getpid();
    process_watch_children(on_child);
    sigset_t before = process_hold();
    for (int i = 1; i < size && here.rank == 0; i++) {
        pid_t id = fork();
        if (id < 0) refuse("not so many processes can be started");
        here.ids[i] = id;
        if (id == 0) begin_child(i, parent);
    }
    process_release(before);
    sigemptyset(&before); /* whoever started this process may have held it back */
    sigaddset(&before, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &before, NULL);
    *rank = here.rank;
    return &functions;
}
