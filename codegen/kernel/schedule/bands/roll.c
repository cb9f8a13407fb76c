/* Stages of bands that are alike: each is what the one before it is, of that one's rows (steps of a loop).
 *
 *   stage k at row + way, from the ring of stage k - 1     for all k of them, one body:
 *   for (level = 0; level < levels; level++)
 *     stage at row + way + level * less, from ring `level` to ring `level + 1` of their memory
 *
 * Drivers take as long to build eight bodies as to run them for a while. */
#include "../../../../fdag/fdag.h"
#include "bands.h"

int bands_stage_of(const Unit *u, const Bands *b, int slot)
{
    for (int i = 0; i < b->n && slot >= u->ninputs; i++) {
        const Def *d = b->stages[i].def;
        if (!d->copy && d->temp >= 0 && u->plan_slot[slot] == d->temp) return i;
    }
    return -1;
}

bool bands_same_form(Unit *u, const Def *a, const Def *b, FdOrder *x, FdOrder *y)
{
    FdResult of_a = {.node = a->node}, of_b = {.node = b->node};
    const FdGraph first = {.nresults = 1, .results = &of_a},
                  second = {.nresults = 1, .results = &of_b};
    FdKey k = fd_key(u->fd, &first, x), l = fd_key(u->fd, &second, y);
    return k.hi == l.hi && k.lo == l.lo && x->nslots == y->nslots;
}

/* Is stage k what stage k - 1 is, with that one for the one before it? */
static bool same_but(Unit *u, const Bands *b, int k)
{
    FdOrder x, y;
    bool same = bands_same_form(u, b->stages[k - 1].def, b->stages[k].def, &x, &y);
    for (int i = 0; i < x.nslots && same; i++) {
        int from = bands_stage_of(u, b, x.slots[i]), to = bands_stage_of(u, b, y.slots[i]);
        same = from == k - 2 || from == k - 1 ? from == k - 2 && to == k - 1
                                              : x.slots[i] == y.slots[i];
    }
    return same;
}

/* Who reads stage p: the next one alone? */
static bool is_for_next(Unit *u, const Bands *b, int p)
{
    for (int c = 0; c < b->n; c++) {
        const BandStage *by = &b->stages[c];
        NestReach r = {0};
        if (!bands_reach(u, by, &b->stages[p], &r)) return false;
        if ((r.reads > 0) != (c == p + 1) || r.nfixed) return false;
    }
    return true;
}

/* Rings of the same size. */
static bool same_ring(Unit *u, const BandStage *x, const BandStage *y)
{
    const Def *d = x->def, *e = y->def;
    bool same = d->nvars == e->nvars && x->dim == y->dim && x->keeps == y->keeps &&
                d->body->type == e->body->type && d->temp >= 0 && e->temp >= 0 && !d->copy &&
                !e->copy && !x->inlined && !y->inlined && x->round == y->round;
    for (int i = 0; i < d->nvars && same; i++)
        same = plan_n(u, &d->doms[i]) == plan_n(u, &e->doms[i]) &&
               plan_lo(u, &d->doms[i]) == plan_lo(u, &e->doms[i]);
    return same;
}

/* Is stage k what stage k - 1 is, of that one's rows? */
static bool is_like_before(Unit *u, const Bands *b, int k)
{
    const BandStage *s = b->stages;
    if (k < 2 || k >= b->n - 1 || !same_ring(u, &s[k], &s[k - 1]) ||
        !same_ring(u, &s[k - 1], &s[k - 2]))
        return false;
    return is_for_next(u, b, k - 2) && is_for_next(u, b, k - 1) && is_for_next(u, b, k) &&
           same_but(u, b, k);
}

int bands_alike(Unit *u, const Bands *b, int first)
{
    int k = first + 1;
    while (is_like_before(u, b, k + 1)) k++;
    return k > first + 1 ? k - first + 1 : 1;
}

int bands_shared(const Bands *b, int first)
{
    int n = 1;
    if (b->stages[first].temp < 0) return 1;
    while (first + n < b->n && b->stages[first + n].temp == b->stages[first].temp) n++;
    return n;
}

const char *bands_verify_shared(Unit *u, const Bands *b)
{
    for (int i = 0; i < b->n && !b->turns.count; i += bands_shared(b, i)) {
        int n = bands_shared(b, i);
        if (n > 1 && (n < 3 || bands_alike(u, b, i) < n))
            return "stages that share their memory are alike, each for the next one alone";
        for (int k = i + n; k < b->n; k++)
            if (b->stages[i].temp >= 0 && b->stages[k].temp == b->stages[i].temp)
                return "stages that share their memory follow each other";
    }
    return NULL;
}

BandTurns bands_roll(Unit *u, const Bands *b, int i, int n)
{
    const BandStage *s = &b->stages[i + 1], *next = s + 1;
    return (BandTurns){.first = i + 1,
                       .period = 1,
                       .count = num_int(u, n - 1),
                       .ahead = num_op(u, FD_OP_SUB, s->ahead, next->ahead),
                       .low = num_op(u, FD_OP_SUB, s->low, next->low),
                       .high = num_op(u, FD_OP_SUB, s->high, next->high)};
}
