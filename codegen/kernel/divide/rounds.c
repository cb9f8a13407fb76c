/* Rounds of launches that are turns (rounds.h). */
#include "rounds.h"

static const CgCut *cut_of(const Rounds *t, int i)
{
    return t->division->launches[i].cut;
}

static int64_t ceildiv(int64_t x, int64_t y)
{
    return y > 0 ? (x + y - 1) / y : 0;
}

static int64_t columns(const CgCut *c)
{
    return c->turns.kind == CG_TURNS_ROWS ? 1 : ceildiv(c->turns.n, c->turns.step);
}

static int64_t rows(const CgCut *c)
{
    return ceildiv(c->n, c->step);
}

/* The place of a share in order; the other way round the same. */
static int place_of(const Rounds *t, int share)
{
    return cut_of(t, t->first)->turns.down ? t->division->n - 1 - share : share;
}

/* The number in order of the rows that a share begins with, and of those behind its last. */
static void rows_of(const Rounds *t, int i, int share, int64_t *from, int64_t *to)
{
    const DividedLaunch *l = &t->division->launches[i];
    bool down = l->cut->turns.down;
    *from = down ? rows(l->cut) - l->to[share] : l->from[share];
    *to = down ? rows(l->cut) - l->from[share] : l->to[share];
}

static bool is_next(const CgCut *a, const CgCut *b)
{
    return b && b->turns.kind && b->turns.turn >= a->turns.turn && a->step == b->step &&
           a->n == b->n && a->from == b->from && a->first == b->first &&
           a->turns.down == b->turns.down;
}

bool rounds_from(const Division *d, const CgSchedule *s, int i, int units, Rounds *t)
{
    enum { PIECES = 16 }; /* a share; fewer than that have others wait longer */
    const CgCut *c = d->launches[i].cut;
    *t = (Rounds){.division = d, .schedule = s, .first = i, .end = i + 1, .each = 1};
    if (!c || !c->turns.kind) return false;
    while (t->end < d->nlaunches && is_next(cut_of(t, t->end - 1), cut_of(t, t->end))) t->end++;
    bool diagonal = false;
    int64_t most = 1;
    for (int k = i; k < t->end; k++) {
        diagonal = diagonal || cut_of(t, k)->turns.kind == CG_TURNS_DIAGONAL;
        if (columns(cut_of(t, k)) > most) most = columns(cut_of(t, k));
    }
    if (diagonal && units > 1) { /* who has several units does the tiles of a diagonal at once */
        t->rounds = cut_of(t, t->end - 1)->turns.turn + 1;
        return true;
    }
    if (!diagonal) t->each = ceildiv(most, (int64_t)PIECES * d->n);
    if (!diagonal && t->each < units) t->each = units;
    t->pieces = ceildiv(most, t->each);
    t->rounds = t->pieces + d->n - 1;
    return true;
}

/* Items of launch i that are of these rows and piece; false: there are none. */
static bool items_of(const Rounds *t, int i, int64_t from, int64_t to, int64_t piece,
                     DivisionRange *out)
{
    const CgCut *c = cut_of(t, i);
    const CgLaunch *l = &t->schedule->launches[i];
    int64_t turn = c->turns.turn, last = columns(c) - 1, lo = piece * t->each, hi = lo + t->each;
    *out = (DivisionRange){.dim = c->dim};
    if (c->turns.kind == CG_TURNS_DIAGONAL) {
        int64_t first = turn > last ? turn - last : 0, n = (int64_t)l->global[c->dim];
        if (t->pieces) from = from > turn - piece ? from : turn - piece;
        if (t->pieces) to = to < turn - piece + 1 ? to : turn - piece + 1;
        out->from = from > first ? from - first : 0;
        out->to = to - first < n ? to - first : n;
        return out->from < out->to;
    }
    if (turn < from || turn >= to) return false;
    out->to = (int64_t)l->global[c->dim];
    if (c->turns.kind == CG_TURNS_ROWS) return out->to > 0 && (piece == 0 || !t->pieces);
    out->from = lo;
    if (hi < out->to) out->to = hi;
    return out->from < out->to;
}

bool rounds_next(const Rounds *t, int share, int64_t round, int64_t *at, RoundItems *out)
{
    int64_t piece = t->pieces ? round - place_of(t, share) : 0;
    if (t->pieces && (piece < 0 || piece >= t->pieces)) return false;
    for (int i = t->first + (int)*at; i < t->end; i++) {
        int64_t from, to;
        *at = i - t->first + 1;
        if (!t->pieces && cut_of(t, i)->turns.turn != round) continue;
        rows_of(t, i, share, &from, &to);
        out->launch = i;
        if (items_of(t, i, from, to, piece, &out->range)) return true;
    }
    return false;
}

/* ---- what is handed on --------------------------------------------------------------------------- */

/* A dimension, or several as one, of which some positions are handed on. */
typedef struct Span {
    int64_t lo, hi, length, stride;
} Span;

typedef struct Sent {
    RoundBlock *blocks; /* NULL: they are counted */
    size_t n;
    RoundBlock of;
    int nspans;
    Span spans[FD_MAX_RANK];
} Sent;

static void find_spans(Sent *s, const FdBox *box, const CgCut *c, Span row, Span column)
{
    int64_t stride = 1;
    int past = c->turns.first + c->turns.count;
    s->nspans = 0;
    for (int d = box->rank; d-- > 0;) {
        int64_t n = fd_box_length(box, d);
        if (d >= c->turns.first && d + 1 < past) { /* one with the dimension behind it */
            s->spans[s->nspans - 1].length *= n;
        } else {
            Span is = {0, n, n, stride};
            if (d == c->first) is.lo = row.lo, is.hi = row.hi;
            if (d + 1 == past) is.lo = column.lo, is.hi = column.hi;
            s->spans[s->nspans++] = is;
        }
        stride *= n;
    }
}

/* The last of the spans is the outermost. */
static void add_blocks(Sent *s, int span, int inner, int64_t at, const struct RowsPlane *plane,
                       int64_t element)
{
    const Span *is = &s->spans[span];
    if (span > inner) {
        for (int64_t k = is->lo; k < is->hi; k++)
            add_blocks(s, span - 1, inner, at + k * is->stride, plane, element);
        return;
    }
    s->of.at = (size_t)(plane->at + (at + is->lo * is->stride) * element);
    s->of.bytes = (size_t)((is->hi - is->lo) * is->stride * element);
    if (s->blocks) s->blocks[s->n] = s->of;
    s->n++;
}

static void add_rows(Sent *s, const RowsLayout *l, const CgCut *c, Span row, Span column)
{
    int inner = 0;
    if (row.lo >= row.hi || column.lo >= column.hi) return;
    find_spans(s, &l->box, c, row, column);
    while (inner + 1 < s->nspans && s->spans[inner].lo == 0 &&
           s->spans[inner].hi == s->spans[inner].length)
        inner++;
    for (int p = 0; p < l->nplanes; p++)
        add_blocks(s, s->nspans - 1, inner, 0, &l->planes[p], l->planes[p].bytes / l->inner);
}

/* The columns of launch i whose last rows share `from` has done in this round. */
static Span columns_done(const Rounds *t, int i, int from, int64_t round)
{
    const CgCut *c = cut_of(t, i);
    int64_t lo, hi, first, past, piece = t->pieces ? round - place_of(t, from) : 0;
    rows_of(t, i, from, &first, &past);
    if (t->pieces && (piece < 0 || piece >= t->pieces)) return (Span){0};
    if (!t->pieces && c->turns.turn != round) return (Span){0};
    lo = piece * t->each;
    hi = lo + t->each;
    if (c->turns.kind == CG_TURNS_DIAGONAL) { /* one launch for each of its columns */
        int64_t column = c->turns.turn - (past - 1);
        bool done = column >= 0 && column < columns(c) && (!t->pieces || column == piece);
        lo = done ? column : 0;
        hi = done ? column + 1 : 0;
    } else if (c->turns.turn != past - 1 || (c->turns.kind == CG_TURNS_ROWS && piece)) {
        return (Span){0};
    }
    lo *= c->turns.step;
    hi *= c->turns.step;
    if (c->turns.kind == CG_TURNS_ROWS) lo = 0, hi = c->turns.n;
    hi = hi < c->turns.n ? hi : c->turns.n;
    return (Span){.lo = c->turns.from + lo, .hi = c->turns.from + hi};
}

size_t rounds_sent(const Rounds *t, int64_t round, RoundBlock *blocks)
{
    const Division *d = t->division;
    Sent s = {.blocks = blocks};
    for (int i = t->first; i < t->end; i++)
        for (int from = 0; from < d->n; from++) {
            const CgCut *c = cut_of(t, i);
            int to = from + (c->turns.down ? -1 : 1);
            if (to < 0 || to >= d->n) continue;
            Span column = columns_done(t, i, from, round);
            Span row = {.lo = d->own[from + 1] - c->turns.back, .hi = d->own[from + 1]};
            if (c->turns.down) row = (Span){.lo = d->own[from], .hi = d->own[from] + c->turns.back};
            for (int w = 0; w < c->nwrites; w++) {
                s.of = (RoundBlock){.from = from, .to = to, .out = c->writes[w].index};
                if (d->outs[s.of.out]) add_rows(&s, d->outs[s.of.out], c, row, column);
            }
        }
    return s.n;
}

bool rounds_tell(const Rounds *t)
{
    bool tell = false;
    for (int i = t->first; i < t->end; i++) tell = tell || t->division->launches[i].told;
    return tell;
}

bool rounds_are_in(const Division *d)
{
    bool any = false;
    for (int i = 0; i < d->nlaunches; i++) {
        const CgCut *c = d->launches[i].cut;
        any = any || (c && c->turns.kind);
    }
    return any;
}
