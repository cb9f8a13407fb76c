/* Walks over what is held back (waiting.h). */
#include "waiting.h"

#include <string.h>

#include "../../device/memory.h"
#include "../../objects/record.h"
#include "../../state.h"

enum { TREE = 64 }; /* lazy values below one */

static void look(Look *l, const Lazy *of);

static void look_at_array(Look *l, Array *a)
{
    Buffer *b = a->head.buffer;
    if (!b) return;
    if (b->bytes > l->reads) l->reads = b->bytes;
    l->loops = l->loops || (b->maker == l->serial && b->bytes == l->bytes);
    if (!b->held) return;
    if (b->held->view) { /* loops over such are left alone */
        l->plain = false;
        return;
    }
    int i = 0;
    while (i < l->nheld && l->held[i] != a) i++;
    if (i == WAITING_READS) {
        l->plain = false;
        return;
    }
    if (i == l->nheld) {
        l->times[l->nheld] = 0;
        l->held[l->nheld++] = a;
    }
    l->times[i]++;
}

static void look_at(Look *l, void *fn)
{
    CsHead *h = fn;
    Lazy *below = fn;
    if (h->kind == CS_ARRAY)
        look_at_array(l, fn);
    else if (h->kind != CS_LAZY)
        l->plain = false;
    else if (below->result)
        look_at_array(l, below->result);
    else if (below->visit != l->visit) {
        below->visit = l->visit;
        look(l, below);
    }
}

static void look(Look *l, const Lazy *of)
{
    if (++l->nlazies > TREE) l->plain = false;
    for (int32_t i = 0; i < of->ncaptures && l->plain; i++)
        if (of->graph->fd->slots[i].type->result) look_at(l, of->captures[i].ref);
}

Look look_below(const Lazy *of, size_t bytes)
{
    Look l = {.visit = ++rt.visit, .plain = true, .serial = of->graph->serial, .bytes = bytes};
    look(&l, of);
    return l;
}

/* ---- sets --------------------------------------------------------------------------------------- */

static bool has(const Waiting *w, const struct Held *h)
{
    for (int i = 0; i < w->n; i++)
        if (w->held[i] == h) return true;
    return false;
}

/* In its place. */
static void put(Waiting *w, struct Held *h)
{
    int at = w->n++;
    for (; at > 0 && w->held[at - 1]->number > h->number; at--) w->held[at] = w->held[at - 1];
    w->held[at] = h;
}

/* h and what it waits for, which were held back before it. */
static void add_below(Waiting *w, struct Held *h)
{
    struct Held *stack[WAITING_MOST];
    int n = 0;
    if (has(w, h)) return;
    stack[n++] = h;
    while (n) {
        struct Held *next = stack[--n];
        if (has(w, next)) continue;
        if (w->n == WAITING_MOST) {
            w->full = true;
            return;
        }
        put(w, next);
        Look below = look_below(next->lazy, 0);
        for (int i = 0; i < below.nheld; i++) {
            struct Held *read = below.held[i]->head.buffer->held;
            if (has(w, read)) continue;
            if (n < WAITING_MOST)
                stack[n++] = read;
            else
                w->full = true;
        }
    }
}

static bool reads_some(const Waiting *w, const struct Held *h)
{
    Look below = look_below(h->lazy, 0);
    for (int i = 0; i < below.nheld; i++)
        if (has(w, below.held[i]->head.buffer->held)) return true;
    return false;
}

void waiting_add(Waiting *w, struct Held *h, bool beside)
{
    add_below(w, h);
    const int below = w->n;
    for (bool again = beside && !rt.hold.busy; again && !w->full;) {
        again = false;
        for (struct Held *other = rt.hold.first; other && !w->full; other = other->next) {
            if (has(w, other) || !reads_some(w, other)) continue;
            add_below(w, other);
            again = true;
        }
    }
    for (w->asked = below; w->asked < w->n && w->held[w->asked - 1] != h;) w->asked++;
}

int waiting_graphs(const Waiting *w, const Graph *more)
{
    bool met = false;
    int n = 0;
    for (int i = 0; i < w->n; i++) {
        const Graph *g = w->held[i]->lazy->graph;
        int k = 0;
        while (k < i && w->held[k]->lazy->graph != g) k++;
        n += k == i;
        met = met || g == more;
    }
    return n + !met;
}

/* ---- batches ------------------------------------------------------------------------------------ */

int waiting_kept(const Waiting *w, int n, int *kept)
{
    bool other[WAITING_MOST] = {0};
    int32_t refs[WAITING_MOST] = {0};
    int nkept = 0;
    for (int i = 0; i < n; i++) w->held[i]->uses = 0;
    for (int i = 0; i < n; i++) {
        Look below = look_below(w->held[i]->lazy, 0);
        for (int k = 0; k < below.nheld; k++) {
            struct Held *read = below.held[k]->head.buffer->held;
            int at = 0;
            while (at < n && w->held[at] != read) at++;
            if (at == n) continue; /* it is evaluated before */
            read->uses += below.times[k];
            refs[at] = below.held[k]->head.head.refs;
            other[at] = other[at] || read->buffer->refs > 1;
        }
    }
    for (int i = 0; i < n; i++)
        if (other[i] || !w->held[i]->uses || refs[i] > w->held[i]->uses) kept[nkept++] = i;
    return nkept;
}

/* ---- turns --------------------------------------------------------------------------------------- */

typedef struct Turn {
    const Waiting *w;
    int from;          /* the first of all */
    int first, period; /* of the turn */
    int nlazies;
    int place; /* scalars of it so far */
    bool third;
    Turning *turning;       /* of which the third turn finds what moves */
    int64_t at;             /* where values of the turn go.. */
    char *to[TURNING_MOST]; /* ..of each that moves */
} Turn;

static const struct Held *held_of(const Array *a)
{
    return a->head.buffer ? a->head.buffer->held : NULL;
}

/* Is `a` of this turn or the one before it, and b the same one turn earlier? Or are both one array that is made before
 * all turns. */
static bool are_turn_apart(const Turn *t, const Array *a, const Array *b)
{
    const struct Held *h = held_of(a), *k = held_of(b);
    const int end = t->first + t->period;
    int i = 0;
    while (h && i < end && t->w->held[i] != h) i++;
    if (!h || i < t->from) return a == b;
    return i >= t->first - t->period && i < end && t->w->held[i - t->period] == k;
}

static int moving_at(const Turning *t, int place)
{
    int i = 0;
    while (i < t->n && t->moving[i].place != place) i++;
    return i;
}

/* A scalar of a turn, which is `same` one turn earlier, there before->captures[slot]. It moves if it did from the
 * second turn to the third. False: it may not. */
static bool may_be(Turn *t, const Lazy *before, int slot, bool same)
{
    Turning *m = t->turning;
    const int place = t->place++, i = moving_at(m, place);
    const FdType *type = before->graph->fd->slots[slot].type;
    if (i == m->n && same) return true;
    if (i == m->n && (!t->third || m->n == TURNING_MOST || type->scalar == SC_BOOL)) return false;
    if (i == m->n) m->n++;
    m->moving[i].captures = before->captures; /* in the end those of the last turn but one */
    m->moving[i].slot = slot;
    m->moving[i].type = type;
    m->moving[i].place = place;
    return true;
}

/* Is `a` what b is, one turn later? */
static bool is_turn_of(Turn *t, const Lazy *a, const Lazy *b)
{
    bool same = a->graph == b->graph && a->ncaptures == b->ncaptures && ++t->nlazies <= TREE;
    for (int32_t i = 0; i < a->ncaptures && same; i++) {
        if (!a->graph->fd->slots[i].type->result) {
            same = may_be(t, b, i, a->captures[i].i == b->captures[i].i);
            continue;
        }
        void *x = a->captures[i].ref, *y = b->captures[i].ref;
        const Array *of_a = lazy_array(x), *of_b = lazy_array(y);
        if (of_a && of_b)
            same = are_turn_apart(t, of_a, of_b);
        else
            same = !of_a && !of_b && ((CsHead *)x)->kind == CS_LAZY &&
                   ((CsHead *)y)->kind == CS_LAZY && is_turn_of(t, x, y);
    }
    return same;
}

bool waiting_turns(const Waiting *w, int from, int n, int period, Turning *turning)
{
    bool turns = n >= 3 * period && n % period == 0;
    Turn t = {.w = w, .from = from, .period = period, .turning = turning};
    *turning = (Turning){.turns = n / period - 2};
    for (int k = from + period; k < from + n && turns; k++) {
        const Lazy *a = w->held[k]->lazy, *b = w->held[k - period]->lazy;
        int turn = (k - from) / period;
        if ((k - from) % period == 0) t.place = 0;
        t.first = from + turn * period;
        t.third = turn == 2;
        t.nlazies = 0;
        turns = a->graph == b->graph && (turn < 2 || is_turn_of(&t, a, b));
    }
    return turns;
}

static void take_values(Turn *t, const Lazy *l)
{
    for (int32_t i = 0; i < l->ncaptures; i++) {
        const FdType *type = l->graph->fd->slots[i].type;
        if (type->result) {
            if (!lazy_array(l->captures[i].ref)) take_values(t, l->captures[i].ref);
            continue;
        }
        int k = moving_at(t->turning, t->place++);
        if (k == t->turning->n) continue;
        const ScalarValue v = {.i = l->captures[i].i};
        scalar_store(t->to[k] + t->at * (int64_t)scalar_bytes(type->scalar), type->scalar, v);
    }
}

bool waiting_values(const Waiting *w, int period, Turning *turning, const CsSite *site)
{
    Turn t = {.w = w, .period = period, .turning = turning};
    for (int i = 0; i < turning->n; i++) {
        int32_t elem = elem_of_type(turning->moving[i].type);
        Array *a = rt_array_new(elem, 1, NULL, &turning->turns, false, site);
        turning->moving[i].values = a;
        if (!a || !(t.to[i] = buffer_host(a->head.buffer, true, site))) return false;
    }
    for (; t.at < turning->turns && turning->n; t.at++) {
        t.place = 0;
        for (int k = 0; k < period; k++) take_values(&t, w->held[(t.at + 1) * period + k]->lazy);
    }
    return true;
}

/* ---- dumps -------------------------------------------------------------------------------------- */

_Static_assert((int)WAITING_MOST <= (int)PLAN_LINES, "a dump names all that wait");

PlanLines waiting_lines(const Waiting *w, int n)
{
    PlanLines l = {0};
    for (; l.n < n && rt_dumping(RT_DUMP_PLAN); l.n++) {
        const CsSite *site = w->held[l.n]->lazy->site;
        l.line[l.n] = site ? site->line : 0;
    }
    return l;
}
