/* What follows from the reads of stages (bands.h): how far ahead each is computed, how many rows are kept,
 * and which rows are saved for good. */
#include "bands.h"

/* As many as a mask can count; more than fit anywhere if that are many. */
static Num *mask_size(Unit *u, Num *n)
{
    enum { MOST = 64 };
    Num *size = num_int(u, (int64_t)1 << 32);
    for (int64_t most = MOST; most; most /= 2)
        size = num_select(u, num_op(u, FD_OP_LE, n, num_int(u, most)), num_int(u, most), size);
    return size;
}

bool bands_reach(Unit *u, const BandStage *reader, const BandStage *read, NestReach *out)
{
    const Def *d = reader->def;
    bool rows = reader->dim < d->nvars;
    return nest_reach(u, d->body, rows ? d->vars[reader->dim] : NULL,
                      rows ? &d->doms[reader->dim] : NULL, read->def, read->dim, out);
}

static bool save_row(BandStage *s, Num *row)
{
    for (int i = 0; i < s->nsaved; i++)
        if (s->saved[i] == row) return true;
    if (s->nsaved == NEST_FIXED) return false;
    s->saved[s->nsaved++] = row;
    return true;
}

/* Saves the rows of a stage that a later one reads wherever it is, and those that the later one's own saved
 * rows need: of the same index only. (Of turns those are computed anew, turn by turn.) */
static bool save_for(const Bands *b, BandStage *s, const BandStage *by, const NestReach *r)
{
    bool ok = !by->nsaved || !r->reads || (num_is(r->low, 0) && num_is(r->high, 0));
    for (int i = 0; ok && i < r->nfixed; i++) ok = save_row(s, r->fixed[i]);
    for (int i = 0; ok && r->reads && i < by->nsaved && !b->turns.count; i++)
        ok = save_row(s, by->saved[i]);
    return ok;
}

/* What those that read a stage ask of it. */
typedef struct Asked {
    Num *low, *high, *ahead;
    Num *oldest; /* row, counted from theirs; NULL: nobody reads it */
    Num *round;  /* NULL, or some go round: when they may */
} Asked;

static bool find_asked(Unit *u, Bands *b, int p, Asked *a)
{
    BandStage *s = &b->stages[p];
    a->low = a->high = a->ahead = num_int(u, 0);
    a->oldest = a->round = NULL;
    for (int c = 0; c < b->n; c++) {
        const BandStage *by = &b->stages[c];
        NestReach r = {0};
        if (p == b->n - 1 || s->def->copy) continue;
        if (!bands_reach(u, by, s, &r)) return false;
        if (!r.reads && !r.nfixed) continue;
        if (c <= p || !save_for(b, s, by, &r)) return false;
        if (!r.reads) continue;
        if (r.when) b->round = num_and(u, b->round, r.when);
        if (by->round && !r.round) r.round = num_truth(u, true);
        if (r.round) a->round = a->round ? num_and(u, a->round, r.round) : r.round;
        Num *low = num_op(u, FD_OP_ADD, by->low, r.low),
            *high = num_op(u, FD_OP_ADD, by->high, r.high),
            *last = num_op(u, FD_OP_ADD, by->ahead, r.high),
            *first = num_op(u, FD_OP_ADD, by->ahead, r.low);
        a->low = a->oldest ? num_op(u, FD_OP_MIN, a->low, low) : low;
        a->high = a->oldest ? num_op(u, FD_OP_MAX, a->high, high) : high;
        a->ahead = a->oldest ? num_op(u, FD_OP_MAX, a->ahead, last) : last;
        a->oldest = a->oldest ? num_op(u, FD_OP_MIN, a->oldest, first) : first;
    }
    return a->oldest || p == b->n - 1 || s->def->copy; /* else it is for nobody */
}

static void keep(Unit *u, BandStage *s, Num *oldest)
{
    Num *rows = num_op(u, FD_OP_ADD, num_op(u, FD_OP_SUB, s->ahead, oldest), num_int(u, 1));
    s->keeps = mask_size(u, rows);
}

bool bands_layout_stage(Unit *u, Bands *b, int p)
{
    BandStage *s = &b->stages[p];
    Asked a;
    s->nsaved = 0;
    s->keeps = num_int(u, 1);
    if (!find_asked(u, b, p, &a)) return false;
    s->low = a.low;
    s->high = a.high;
    s->ahead = a.ahead;
    s->round = a.round != NULL;
    if (s->round) b->round = num_and(u, b->round, a.round);
    if (a.oldest && !s->inlined) keep(u, s, a.oldest);
    return !s->round || !s->nsaved;
}

void bands_keep(Unit *u, Bands *b, int p)
{
    Asked a;
    if (find_asked(u, b, p, &a)) keep(u, &b->stages[p], a.oldest);
}

bool bands_asked_round(Unit *u, Bands *b, int p)
{
    Asked a;
    return find_asked(u, b, p, &a) && a.round;
}

/* Have stages that go round the rows of the result, and enough of them to go round once? */
static void check_round(Unit *u, Bands *b)
{
    const FdDom *rows = &b->stages[b->n - 1].def->doms[b->stages[b->n - 1].dim];
    Num *n = plan_n(u, rows);
    for (int p = 0; p < b->n; p++) {
        const BandStage *s = &b->stages[p];
        const FdDom *own = &s->def->doms[s->dim];
        if (!s->round) continue;
        Num *same = num_and(u, num_op(u, FD_OP_EQ, plan_n(u, own), n),
                            num_op(u, FD_OP_EQ, plan_lo(u, own), plan_lo(u, rows)));
        Num *before = num_op(u, FD_OP_LE, num_op(u, FD_OP_SUB, num_int(u, 0), s->low), n);
        b->round = num_and(u, b->round, num_and(u, same, before));
        b->round = num_and(u, b->round, num_op(u, FD_OP_LE, s->high, n));
    }
}

bool bands_layout(Unit *u, Bands *b)
{
    b->round = num_truth(u, true);
    for (int p = b->n; p-- > b->turns.first;)
        if (!bands_layout_stage(u, b, p)) return false;
    if (b->turns.count && !bands_layout_turns(u, b)) return false;
    check_round(u, b);
    return true;
}

Num *bands_row(Unit *u, const BandStage *s)
{
    Num *all = num_int(u, 1);
    for (int i = 0; i < s->def->nvars; i++)
        if (i != s->dim) all = num_op(u, FD_OP_MUL, all, plan_n(u, &s->def->doms[i]));
    return all;
}

Num *bands_rows(Unit *u, const BandStage *s)
{
    return plan_n(u, &s->def->doms[s->dim]);
}

Num *bands_kept(Unit *u, const Bands *b, int i, int alike)
{
    const BandStage *s = &b->stages[i];
    bool turns = bands_is_turn(b, i) || bands_is_before(b, i);
    Num *all = turns ? bands_turns(u, b) : num_int(u, alike);
    Num *rings = turns && b->turns.same_row ? num_int(u, 2) : all;
    Num *rows = num_op(u, FD_OP_ADD, num_op(u, FD_OP_MUL, s->keeps, rings),
                       num_op(u, FD_OP_MUL, num_int(u, s->nsaved), all));
    return num_op(u, FD_OP_MUL, rows, bands_row(u, s));
}

Num *bands_halo(Unit *u, const Bands *b)
{
    Num *most = num_int(u, 0);
    int saved = 0;
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        most = num_op(u, FD_OP_MAX, most, num_op(u, FD_OP_SUB, s->high, s->low));
        saved += s->nsaved;
    }
    if (b->turns.count && saved) { /* that of each turn goes through those before it */
        Num *rows = num_op(u, FD_OP_MUL, b->turns.count, num_int(u, saved));
        return num_op(u, FD_OP_ADD, most, num_ceildiv(u, rows, num_int(u, 4)));
    }
    return num_op(u, FD_OP_ADD, most, num_int(u, (saved + b->n - 1) / b->n));
}

Num *bands_count(Unit *u, const Bands *b)
{
    return num_ceildiv(u, bands_rows(u, &b->stages[b->n - 1]), b->each);
}
