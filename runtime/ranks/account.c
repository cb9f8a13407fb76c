/* What a rank did, for CS_PROFILE: kernels, messages, waiting. */
#include <stdio.h>
#include <sys/resource.h>

#include "ranks.h"
#include "transport.h"

void ranks_exchange(const struct RankBlock *blocks, int n)
{
    uint64_t since = rt.ranks.measured ? ranks_clock() : 0;
    if (n == 0) return;
    rt.ranks.by->exchange(blocks, n);
    if (!since) return;
    RankAccount *a = &rt.ranks.account;
    a->sending += ranks_clock() - since;
    for (int i = 0; i < n; i++) {
        bool mine = blocks[i].to == rt.ranks.rank || blocks[i].to == RANKS_ALL;
        if (!mine || blocks[i].from == rt.ranks.rank) continue;
        a->messages++;
        a->from[blocks[i].from / 64] |= UINT64_C(1) << blocks[i].from % 64;
        a->bytes += blocks[i].bytes;
    }
}

_Static_assert((int)RT_MOST_RANKS == (int)RANKS_MOST, "a bit for each rank");

static uint64_t nanos(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static uint64_t processor_nanos(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return nanos(used.ru_utime) + nanos(used.ru_stime);
}

void ranks_show_accounts(void)
{
    static RankAccount all[RANKS_MOST];
    if (!rt.ranks.measured) return;
    rt.ranks.account.processor = processor_nanos();
    for (int r = 0; r < rt.ranks.size; r++) {
        if (r == rt.ranks.rank) all[r] = rt.ranks.account;
        rt.ranks.by->broadcast(r, &all[r], sizeof all[r]);
    }
    rt.ranks.accounts = all;
}

static int partners_of(const RankAccount *a)
{
    int n = 0;
    for (size_t i = 0; i < sizeof a->from / sizeof *a->from; i++)
        n += __builtin_popcountll(a->from[i]);
    return n;
}

/* Waiting: for others to come to a step, then for what they send. */
void ranks_print_accounts(void)
{
    if (!rt.ranks.accounts) return;
    fprintf(stderr, "%-10s %10s %10s %10s %12s %12s %12s %12s %12s %12s\n", "rank", "divided",
            "alone", "messages", "MB received", "ms kernels", "ms waiting", "ms processor",
            "partners", "ms messages");
    for (int r = 0; r < rt.ranks.size; r++) {
        const RankAccount *a = &rt.ranks.accounts[r];
        fprintf(stderr, "%-10d %10llu %10llu %10llu %12.3f %12.3f %12.3f %12.3f %12d %12.3f\n", r,
                (unsigned long long)a->divided, (unsigned long long)a->alone,
                (unsigned long long)a->messages, (double)a->bytes / 1e6, (double)a->kernels / 1e6,
                (double)a->waiting / 1e6, (double)a->processor / 1e6, partners_of(a),
                (double)a->sending / 1e6);
    }
}
