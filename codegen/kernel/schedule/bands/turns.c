/* Turns of a loop as stages of bands (bands.h): a graph that says how often (FdGraph.turns) composes three of
 * them, each as many stages.
 *
 *   stages 0 to p - 1           the first turn, of what was there
 *   stages p to 2p - 1          the second, which runs as often as the plan says, from ring to ring
 *   stages 2p to 3p - 1         the last one, of which the last is the result, or
 *   stage 3p                    the result, whose like the other turns compute where it is read
 *
 * The second turn is to the first what the last is to the second, so it can follow itself. Each turn lies so
 * many rows ahead of the next as the last but one lies ahead of the last: all rings are of one size, and one
 * text serves any number of turns. After time skewing (Wolf and Lam, PLDI 1991; Wonnacott, IPDPS 2000). */
#include "../../../../fdag/fdag.h"
#include "bands.h"

bool bands_is_turn(const Bands *b, int stage)
{
    const BandTurns *t = &b->turns;
    return t->count && stage >= t->first && stage < t->first + t->period;
}

bool bands_is_before(const Bands *b, int stage)
{
    return b->turns.count && stage < b->turns.first;
}

/* Stage number i of those that are no copies. */
static BandStage *own_stage(Bands *b, int i)
{
    int at = 0;
    while (b->stages[at].def->copy || i-- > 0) at++;
    return &b->stages[at];
}

/* ---- are they alike? ----------------------------------------------------------------------------- */

/* The stage whose temporary a slot is, among those that are no copies; -1: none of theirs. */
static int stage_of(const Unit *u, const Bands *b, int slot)
{
    int own = 0;
    for (int i = 0; i < b->n && slot >= u->ninputs; i++) {
        const Def *d = b->stages[i].def;
        if (d->copy) continue;
        if (d->temp >= 0 && u->plan_slot[slot] == d->temp) return own;
        own++;
    }
    return -1;
}

/* Does stage p + period do what stage p does, of slots that are one turn later? */
static bool is_one_later(Unit *u, Bands *b, int p)
{
    FdOrder x, y;
    const int period = b->turns.period;
    FdResult of_a = {.node = own_stage(b, p)->def->node},
             of_b = {.node = own_stage(b, p + period)->def->node};
    const FdGraph first = {.nresults = 1, .results = &of_a},
                  second = {.nresults = 1, .results = &of_b};
    FdKey k = fd_key(u->fd, &first, &x), l = fd_key(u->fd, &second, &y);
    bool same = k.hi == l.hi && k.lo == l.lo && x.nslots == y.nslots;
    for (int i = 0; i < x.nslots && same; i++) {
        int from = stage_of(u, b, x.slots[i]), to = stage_of(u, b, y.slots[i]);
        same = from < 0 ? to < 0 && x.slots[i] == y.slots[i] : to == from + period;
    }
    return same;
}

/* When rows of two stages have the same form; NULL: never. */
static Num *same_rows(Unit *u, const BandStage *x, const BandStage *y)
{
    const Def *d = x->def, *e = y->def;
    Num *same = num_truth(u, true);
    if (d->nvars != e->nvars || x->dim != y->dim || d->body->type != e->body->type || x->inlined ||
        y->inlined || d->copy || e->copy)
        return NULL;
    for (int i = 0; i < d->nvars; i++) {
        const FdDom *a = &d->doms[i], *b = &e->doms[i];
        same = num_and(u, same, num_op(u, FD_OP_EQ, plan_n(u, a), plan_n(u, b)));
        same = num_and(u, same, num_op(u, FD_OP_EQ, plan_lo(u, a), plan_lo(u, b)));
    }
    return same;
}

bool bands_find_turns(Unit *u, Bands *b)
{
    int n = 0;
    if (!u->g->turns) return true;
    for (int i = 0; i < b->n; i++) n += !b->stages[i].def->copy;
    const int period = n / 3, more = n % 3; /* a result that other turns compute where it is read */
    b->turns = (BandTurns){.first = period,
                           .period = period,
                           .count = num_of(u, u->g->turns),
                           .when = num_truth(u, true)};
    bool alike = period > 0 && (!more || (more == 1 && n == b->n)) && b->turns.count;
    for (int p = 0; p < period && alike; p++) {
        const BandStage *s = &b->stages[p], *next = s + period,
                        *last = own_stage(b, p + 2 * period);
        alike = !s->def->copy && !next->def->copy && s->def->temp >= 0 && next->def->temp >= 0;
        Num *first = alike ? same_rows(u, s, next) : NULL,
            *second = alike ? same_rows(u, next, last) : NULL;
        alike = first && second && is_one_later(u, b, p + period);
        if (alike) b->turns.when = num_and(u, b->turns.when, num_and(u, first, second));
    }
    return alike;
}

/* ---- where they are ------------------------------------------------------------------------------- */

static Num *difference(Unit *u, Num *x, Num *y)
{
    return num_op(u, FD_OP_SUB, x, y);
}

/* How far the last of the turns is from the last stages, at most: so it is for all that they keep. */
static void find_distance(Unit *u, Bands *b)
{
    BandTurns *t = &b->turns;
    for (int i = 0; i < t->period; i++) {
        const BandStage *s = &b->stages[t->first + i],
                        *last = own_stage(b, t->first + i + t->period);
        Num *ahead = difference(u, s->ahead, last->ahead), *low = difference(u, s->low, last->low),
            *high = difference(u, s->high, last->high);
        t->ahead = i ? num_op(u, FD_OP_MAX, t->ahead, ahead) : ahead;
        t->low = i ? num_op(u, FD_OP_MIN, t->low, low) : low;
        t->high = i ? num_op(u, FD_OP_MAX, t->high, high) : high;
    }
}

/* of + turns * more */
static Num *later(Unit *u, Num *of, Num *more, Num *turns)
{
    return num_op(u, FD_OP_ADD, of, num_op(u, FD_OP_MUL, more, turns));
}

/* Puts a stage of the turns so many turns before the last stage that it is alike. */
static void put_before(Unit *u, const Bands *b, BandStage *s, const BandStage *last, Num *turns)
{
    s->ahead = later(u, last->ahead, b->turns.ahead, turns);
    s->low = later(u, last->low, b->turns.low, turns);
    s->high = later(u, last->high, b->turns.high, turns);
}

bool bands_layout_turns(Unit *u, Bands *b)
{
    const BandTurns *t = &b->turns;
    Num *one = num_int(u, 1);
    find_distance(u, b);
    for (int k = 0; k < 2; k++) /* the last turn, whose rings are those of all; then the first */
        for (int p = t->first + t->period; p-- > t->first;) {
            BandStage *s = &b->stages[p];
            put_before(u, b, s, own_stage(b, p + t->period), k ? t->count : one);
            if (!k) bands_keep(u, b, p);
        }
    for (int p = t->first; p-- > 0;) {
        BandStage *s = &b->stages[p], *next = s + t->period;
        if (!bands_layout_stage(u, b, p)) return false;
        s->keeps = next->keeps = num_op(u, FD_OP_MAX, s->keeps, next->keeps);
    }
    for (int p = 0; p < b->n; p++)
        if (b->stages[p].nsaved) return false;
    return true;
}
