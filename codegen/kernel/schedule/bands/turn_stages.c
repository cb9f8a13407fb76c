/* Turns of a loop as stages of bands (bands.h): a graph that says how often (FdGraph.turns) composes three of
 * them, each as many stages.
 *
 *   stages 0 to p - 1           the first turn, of what was there
 *   stages p to 2p - 1          the second, which runs as often as the plan says, from ring to ring
 *   stages behind them          the last one, and results whose like the other turns compute where they are read
 *
 * The second turn is to the first what the last is to the second, so it can follow itself. Each turn lies so
 * many rows ahead of the next as the last but one lies ahead of the last: all rings are of one size, and one
 * text serves any number of turns. After time skewing (Wolf and Lam, PLDI 1991; Wonnacott, IPDPS 2000). */
#include "../../../../fdag/fdag.h"
#include "bands.h"

#include <string.h>

bool bands_is_turn(const Bands *b, int stage)
{
    const BandTurns *t = &b->turns;
    return t->count && stage >= t->first && stage < t->first + t->period;
}

bool bands_is_before(const Bands *b, int stage)
{
    return b->turns.count && stage < b->turns.first;
}

Num *bands_turns(Unit *u, const Bands *b)
{
    return num_op(u, FD_OP_ADD, b->turns.count, num_int(u, 1));
}

/* ---- are they alike? ----------------------------------------------------------------------------- */

/* The stage that is what this one is, one turn later; -1: there is none. */
static int one_later(const Bands *b, int stage)
{
    const BandTurns *t = &b->turns;
    return stage < t->first               ? stage + t->period
           : stage < t->first + t->period ? t->last[stage - t->first]
                                          : -1;
}

static bool moves(const Unit *u, int slot)
{
    for (int i = 0; i < u->g->nmoving; i++)
        if (u->g->moving[i].slot->slot == slot) return true;
    return false;
}

/* Can kernels of turns say what moves in n? Ranges, and divisors which may be 0, are the plan's, which knows one number.
 * Rows in which a condition on it does not hold would be made one by one (cond: n is part of one). */
static bool has_moving(const Unit *u, const FdNode *n, bool cond, int depth)
{
    enum { DEEPEST = 200 };
    if (unit_moves(u, n)) return !cond;
    if (!fd_any(n, unit_moves, u)) return true;
    if (depth > DEEPEST) return false;
    if (n->kind == FD_LET || n->kind == FD_REDUCE) {
        for (int i = 0; i < n->nvars; i++)
            if ((n->doms[i].lo && fd_any(n->doms[i].lo, unit_moves, u)) ||
                (n->doms[i].hi && fd_any(n->doms[i].hi, unit_moves, u)))
                return false;
        return !n->self && has_moving(u, n->body, cond, depth + 1);
    }
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool throws =
        op != FD_OP_NONE && (fd_op_info(op)->props & FD_THROWS) && !scalar_is_real(n->type->scalar);
    bool good = !throws && (op != FD_OP_NONE || is_read(n) || is_make(n));
    cond = !is_read(n) && (cond || (op != FD_OP_NONE && result_kind(n) == SC_BOOL));
    for (int i = 0; i < n->nargs && good; i++)
        good = has_moving(u, n->args[i], cond || (op == FD_OP_SELECT && i == 0), depth + 1);
    return good;
}

/* Does a stage of the last turn do what stage p of the second does, of slots that are one turn later? */
static bool is_one_later(Unit *u, const Bands *b, int p)
{
    FdOrder x, y;
    const Def *d = b->stages[p].def;
    bool same = bands_same_form(u, d, b->stages[one_later(b, p)].def, &x, &y);
    for (int i = 0; i < x.nslots && same; i++) {
        int from = bands_stage_of(u, b, x.slots[i]), to = bands_stage_of(u, b, y.slots[i]);
        same = from >= 0 ? to >= 0 && to == one_later(b, from)
                         : to < 0 && (x.slots[i] == y.slots[i] || moves(u, x.slots[i]));
    }
    return same && has_moving(u, d->node, false, 0);
}

/* Do their rows take memory of one form? */
static bool are_like(const BandStage *s, const BandStage *t)
{
    return s->def->nvars == t->def->nvars && s->def->body->type == t->def->body->type &&
           s->dim == t->dim && !s->def->copy && !t->def->copy;
}

/* When rows of two stages have the same form; NULL: never. */
static Num *same_rows(Unit *u, const BandStage *x, const BandStage *y)
{
    const Def *d = x->def, *e = y->def;
    Num *same = num_truth(u, true);
    if (!are_like(x, y) || x->inlined || y->inlined) return NULL;
    for (int i = 0; i < d->nvars; i++) {
        const FdDom *a = &d->doms[i], *b = &e->doms[i];
        same = num_and(u, same, num_op(u, FD_OP_EQ, plan_n(u, a), plan_n(u, b)));
        same = num_and(u, same, num_op(u, FD_OP_EQ, plan_lo(u, a), plan_lo(u, b)));
    }
    return same;
}

/* ---- which are whose? ----------------------------------------------------------------------------- */

typedef struct Match {
    Unit *u;
    const Bands *b;
    int earlier
        [BANDS_STAGES]; /* of each stage the one that is the same one turn before; -1: none is known */
} Match;

static bool is_taken(const Match *m, int stage)
{
    for (int i = 0; i < m->b->n; i++)
        if (m->earlier[i] == stage) return true;
    return false;
}

/* Stage y is x one turn later: so are the stages that they read. What reads arrays that were there may have another
 * form (`read`: by a stage of which that is known). False: it is not; then m is spoilt. */
static bool unify(Match *m, int y, int x, bool read)
{
    const BandStage *s = m->b->stages;
    const Def *d = s[y].def, *e = s[x].def;
    FdOrder later, before;
    if (m->earlier[y] >= 0) return m->earlier[y] == x;
    if (x >= y || d->copy || e->copy || is_taken(m, x)) return false;
    m->earlier[y] = x;
    if (!bands_same_form(m->u, d, e, &later, &before)) return read && are_like(&s[y], &s[x]);
    bool same = true;
    for (int i = 0; i < later.nslots && same; i++) {
        int to = bands_stage_of(m->u, m->b, later.slots[i]),
            from = bands_stage_of(m->u, m->b, before.slots[i]);
        if (to >= 0)
            same =
                from < 0 || unify(m, to, from, true); /* else of the first turn: what was there */
        else
            same = from < 0 && (later.slots[i] == before.slots[i] || moves(m->u, before.slots[i]) ||
                                moves(m->u, later.slots[i]));
    }
    return same;
}

/* The turn that a stage is of: 2, the last one, 1, 0; 2 of those that are of none. */
static int turn_of(const Match *m, int stage)
{
    int y = 0, k = 0;
    while (y < m->b->n && m->earlier[y] != stage) y++;
    while (k < m->b->n && (y == m->b->n || m->earlier[k] != y)) k++;
    return y == m->b->n ? 2 : k == m->b->n ? 1 : 0;
}

/* From stage y down to the first, each the one that is nearest before it. */
static void match_rest(Match *m, int y)
{
    for (; y >= 0; y--)
        for (int x = y; x-- > 0 && m->earlier[y] < 0;) {
            Match tried = *m;
            if (unify(&tried, y, x, false)) *m = tried;
        }
}

/* The first turn is of what was there, whose ranges may have another form: stages of the second that are nobody's
 * yet are the nearest ones before them that are like them. */
static void match_first(Match *m)
{
    const BandStage *s = m->b->stages;
    for (int y = m->b->n; y-- > 0;)
        for (int x = y; x-- > 0 && m->earlier[y] < 0 && turn_of(m, y) == 1;)
            if (are_like(&s[y], &s[x]) && !is_taken(m, x)) m->earlier[y] = x;
}

/* Is a turn of so many stages? */
static bool has_period(const Match *m, int period)
{
    int n = 0;
    for (int i = 0; i < m->b->n; i++) n += turn_of(m, i) == 1;
    return n == period;
}

/* Which stages are which, one turn later: so that a turn has so many. What a turn does may be what its halves do. */
static bool match(Match *m, int period)
{
    const int last = m->b->n - 1;
    for (int x = last; x-- > 0;) {
        for (int i = 0; i <= last; i++) m->earlier[i] = -1;
        if (!unify(m, last, x, false)) continue;
        match_rest(m, last - 1);
        match_first(m);
        if (has_period(m, period)) return true;
    }
    return false;
}

/* Puts the stages of the first turn before those of the second, in their order, and these before all others: where
 * arrays hang together loosely their stages come in any order. False: there are no three turns of so many. */
static bool sort_turns(Unit *u, Bands *b, int period)
{
    Match m = {.u = u, .b = b};
    BandStage sorted[BANDS_STAGES];
    BandTurns *t = &b->turns;
    int n = 0, to[BANDS_STAGES];
    if (!match(&m, period)) return false;
    for (int i = 0; i < b->n; i++) {
        if (turn_of(&m, i) != 1) continue;
        if (m.earlier[i] < 0) return false;
        sorted[n] = b->stages[m.earlier[i]];
        sorted[period + n] = b->stages[i];
        to[i] = n++;
    }
    n = 2 * period;
    for (int i = 0; i < b->n; i++) {
        if (turn_of(&m, i) != 2) continue;
        if (m.earlier[i] >= 0) t->last[to[m.earlier[i]]] = n;
        sorted[n++] = b->stages[i];
    }
    if (n != b->n) return false;
    memcpy(b->stages, sorted, (size_t)n * sizeof *sorted);
    return true;
}

bool bands_find_turns(Unit *u, Bands *b)
{
    int n = 0;
    if (!u->g->turns) return true;
    for (int i = 0; i < b->n; i++) n += !b->stages[i].def->copy;
    const int period = n / 3;
    bool alike = period > 0;
    if (!b->turns.count) { /* else they were found before, and lie in their order */
        b->turns = (BandTurns){.first = period, .period = period, .count = num_of(u, u->g->turns)};
        alike = alike && b->turns.count && sort_turns(u, b, period);
    }
    b->turns.when = num_truth(u, true);
    for (int p = 0; p < period && alike; p++) {
        const BandStage *s = &b->stages[p], *next = s + period,
                        *last = &b->stages[b->turns.last[p]];
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
        const BandStage *s = &b->stages[t->first + i], *last = &b->stages[t->last[i]];
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

/* The first turn. */
static bool layout_first(Unit *u, Bands *b)
{
    const BandTurns *t = &b->turns;
    for (int p = t->first; p-- > 0;) {
        BandStage *s = &b->stages[p], *next = s + t->period;
        if (!bands_layout_stage(u, b, p)) return false;
        s->keeps = next->keeps = num_op(u, FD_OP_MAX, s->keeps, next->keeps);
    }
    return true;
}

/* What the repeated turn reads of the first, it reads of itself, too: the same of its own stages goes round. False:
 * all that do are known. */
static bool find_round(Unit *u, Bands *b)
{
    const BandTurns *t = &b->turns;
    bool more = false;
    for (int p = t->first + t->period; p-- > t->first;) {
        BandStage *s = &b->stages[p];
        if (s->round || (!s[-t->period].round && !bands_asked_round(u, b, p))) continue;
        s->round = more = true;
    }
    return more;
}

/* ---- saved rows ------------------------------------------------------------------------------------ */

static bool is_saved(const BandStage *s, Num *row)
{
    for (int i = 0; i < s->nsaved; i++)
        if (s->saved[i] == row) return true;
    return false;
}

static bool are_saved(const BandStage *asked, const BandStage *s)
{
    for (int i = 0; i < asked->nsaved; i++)
        if (!is_saved(s, asked->saved[i])) return false;
    return true;
}

/* Row number i that a stage of the first turn saves is the one that the second turn reads, whatever row it is at, and of
 * the second turn's that is the same one for the last. False: others read such rows, too, or there are too many. */
static bool pair_saved(Unit *u, const Bands *b, BandStage *s)
{
    const BandTurns *t = &b->turns;
    BandStage *next = s + t->period;
    const BandStage first = *s, second = *next;
    s->nsaved = next->nsaved = 0;
    for (int q = t->first; q < t->first + t->period; q++) {
        NestReach now, later;
        if (!bands_reach(u, &b->stages[q], s, &now) ||
            !bands_reach(u, &b->stages[t->last[q - t->first]], next, &later) ||
            now.nfixed != later.nfixed)
            return false;
        for (int i = 0; i < now.nfixed; i++) {
            if (is_saved(s, now.fixed[i]) && is_saved(next, later.fixed[i])) continue;
            if (s->nsaved == NEST_FIXED) return false;
            s->saved[s->nsaved++] = now.fixed[i];
            next->saved[next->nsaved++] = later.fixed[i];
        }
    }
    return are_saved(&first, s) && are_saved(&second, next);
}

/* Is each made of nothing but the same row of the stages before it? */
static bool are_in_row(const Bands *b)
{
    bool all = true;
    for (int p = 0; p < b->n; p++) {
        const BandStage *s = &b->stages[p];
        all = all && !s->round && num_is(s->ahead, 0) && num_is(s->low, 0) && num_is(s->high, 0);
    }
    return all;
}

/* Are they where they are in all turns? */
static bool are_steady(Unit *u, const Bands *b)
{
    bool steady = !num_moves(u, b->round);
    for (int p = 0; p < b->n && steady; p++) {
        const BandStage *s = &b->stages[p];
        steady = !num_moves(u, s->low) && !num_moves(u, s->high) && !num_moves(u, s->ahead) &&
                 !num_moves(u, s->keeps);
    }
    return steady;
}

/* A row that is saved is made of the same row of all turns before. */
static bool layout_saved(Unit *u, Bands *b)
{
    BandTurns *t = &b->turns;
    bool saves = false, last = false;
    t->same_row = are_in_row(b);
    for (int p = 0; p < b->n; p++) {
        saves = saves || b->stages[p].nsaved;
        last = last || (b->stages[p].nsaved && p >= t->first + t->period);
    }
    if (!saves) return true;
    bool paired = t->same_row && !last;
    for (int p = 0; p < t->first && paired; p++) paired = pair_saved(u, b, &b->stages[p]);
    return paired;
}

bool bands_layout_turns(Unit *u, Bands *b)
{
    const BandTurns *t = &b->turns;
    Num *one = num_int(u, 1);
    find_distance(u, b);
    for (int k = 0; k < 2; k++) /* the last turn, whose rings are those of all; then the first */
        for (int p = t->first + t->period; p-- > t->first;) {
            BandStage *s = &b->stages[p];
            put_before(u, b, s, &b->stages[t->last[p - t->first]], k ? t->count : one);
            if (!k) bands_keep(u, b, p);
        }
    do {
        if (!layout_first(u, b)) return false;
    } while (find_round(u, b));
    return are_steady(u, b) && layout_saved(u, b);
}
