/* Steps of a loop over whole arrays, taken several at a time, and what a step is made of. An evaluation that
 * cannot fail, of a graph that went through much memory, is held back: its array is a handle whose buffer waits.
 * When somebody looks at the elements, or a few steps wait on each other, they are composed into one
 * graph, of which each step is a temporary:
 *
 *   for (..) u = step(u);                  u4 = step(step(step(step(u))))
 *
 * Kernels keep such temporaries by rows (codegen/kernel/schedule/nest/bands.h), so that a band of
 * rows goes through all steps in the cache. Where a kernel would store them the steps are evaluated
 * one after the other, as they are if only one waits. Nobody can tell: what may fail is never held
 * back, and clocks wait. What is held back depends on graphs and sizes alone, so the same bits come of
 * every run. */
#include "hold.h"

#include <stdlib.h>
#include <string.h>

#include "../../device/device.h"
#include "../../device/memory.h"
#include "../../native/native.h"
#include "../../objects/record.h"
#include "../../pool.h"
#include "../../state.h"
#include "../compose.h"
#include "../into.h"
#include "waiting.h"

enum {
    MOST = 8,    /* steps at a time */
    ALONE = 4,   /* steps in a row that somebody looked at: then the loop is left alone */
    TOLD = 2,    /* times that a scalar of an array follows it: then it does so each time */
    DIVIDED = 4, /* steps at a time of ranks, of which footprints still know what a share reads */
    TURNS = 3,   /* that a text for any number of them composes */
    ROWS = 4,    /* that a kernel keeps of each step */
    LEAST = 1 << 20, /* bytes of an array */
    BESIDE = 32,     /* rows of a unit for one that the next one computes, too */
    L2 = 1 << 20,    /* where nobody says */
    LARGE = 1 << 23  /* bytes of an array of which few turns may be kept in a larger cache */
};
/* Bytes: before a kernel is built for it, a loop is long. Several steps in one take longer to build: .1 s by
 * csc, seconds by a driver. */
typedef struct Work {
    double first, told;
} Work;

static Work work_before(void)
{
    return native_makes() ? (Work){1e9, 3e8} : (Work){6e9, 1e9};
}

size_t hold_least(size_t usual)
{
    if (!rt.hold.least) {
        size_t given = 0;
        int is = memory_size_from("CS_HOLD", &given, NULL);
        if (is < 0) rt_catch();
        rt.hold.given = is > 0;
        rt.hold.least = is > 0 ? given : 1;
        const char *s = getenv("CS_HOLD");
        rt.hold.never = s && strcmp(s, "0") == 0;
    }
    if (rt.hold.never) return SIZE_MAX;
    return rt.hold.given ? rt.hold.least : usual;
}

/* ---- holding ----------------------------------------------------------------------------------- */

static size_t l2_bytes(void)
{
    size_t l2 = rt.device ? device_info()->l2 : native_l2();
    return l2 ? l2 : L2;
}

/* Rows of its array: of the longest dimension, as bands choose. */
static size_t rows_of(const Lazy *l)
{
    size_t rows = 1;
    for (int d = 0; d + 1 < l->box.rank; d++) {
        size_t n = (size_t)(l->box.dim[d].hi - l->box.dim[d].lo);
        if (n > rows) rows = n;
    }
    return rows;
}

/* What is divided is composed as it is: footprints do not know how often the second turn is repeated. */
static bool is_divided(void)
{
    return rt.ranks.size || rt.ranks.blocks;
}

/* How many steps: the rows that are kept of all of them are to fit a cache. */
static int most_of(const Lazy *l, size_t bytes)
{
    size_t row = bytes / rows_of(l), l2 = l2_bytes();
    int most = is_divided() ? DIVIDED : MOST;
    while (most > 1 && row * ROWS * (size_t)most > l2) most /= 2;
    return most;
}

/* How many turns of so many, number `from` being the first, one text is to take. More than three only where few
 * rows are computed by two units. (Where rows do not fit a cache the text says so itself.) */
static int turns_of(const Waiting *w, int from, int period)
{
    const Lazy *first = w->held[from]->lazy;
    int most = is_divided() ? 1 : first->graph->turns;
    size_t alone = rows_of(first) / ((size_t)pool_units() * BESIDE);
    if (!most || most > MOST) most = MOST;
    if (most > TURNS && (size_t)most > alone) most = alone > TURNS ? (int)alone : TURNS;
    return most * period > WAITING_MOST ? WAITING_MOST / period : most;
}

/* At most so many of a loop with `graphs` arrays a step: whole steps, and one at least. */
static int whole_steps(int most, int graphs)
{
    return most > graphs ? most / graphs * graphs : graphs;
}

/* Evaluates those that an evaluation reads. */
static bool fill_below(const Look *below, const CsSite *site)
{
    for (int i = 0; i < below->nheld; i++) {
        Buffer *b = below->held[i]->head.buffer;
        if (b->held && !rt_fill(b, site)) return false;
    }
    return true;
}

/* Bytes that loops go through while a kernel of so many nodes is made: about 1 ms a node by csc. Those that are
 * made take no longer than the loops have taken so far. */
static double work_to_make(double nodes)
{
    return nodes * (native_makes() ? 2e7 : 1e8);
}

/* Has the program a kernel of turns of its loop, as far as is known? */
static bool is_foreseen(const Lazy *l)
{
    return l->foreseen && l->graph->turns != 1 && !is_divided() && native_makes();
}

/* Once so, it stays so: of all graphs that loops evaluate so many steps could be a kernel. */
static bool is_long(const Lazy *l, double least, int steps)
{
    Graph *g = l->graph;
    g->is_long = g->is_long || (g->work > least &&
                                rt.hold.work > work_to_make(rt.hold.made + rt.hold.nodes * steps));
    return rt.hold.given || is_foreseen(l) || g->is_long;
}

/* How many of its loop; 1 while that is not known to be long. What reads something held back belongs to it. */
static int steps_of(const Lazy *l, const Look *below, size_t bytes)
{
    if (!below->nheld && !is_long(l, work_before().first, 2)) return 1;
    int most = most_of(l, bytes);
    return most == 1 && l->graph->turns != 1 && bytes >= LARGE ? TURNS : most;
}

bool hold_wants(const Lazy *l, size_t bytes)
{
    Graph *g = l->graph;
    const FdNode *root = fd_root(g->fd);
    if (l->box.rank < 2 || g->alone >= ALONE || bytes < hold_least(LEAST) || root->kind != FD_LET ||
        root->self)
        return false;
    Look below = look_below(l, bytes);
    if (!below.plain) return false;
    if (!g->work) rt.hold.nodes += l->nodes;
    g->work += 2.0 * (double)bytes;
    rt.hold.work += 2.0 * (double)bytes;
    bool told = below.loops && g->told >= TOLD && is_long(l, work_before().told, 1);
    return steps_of(l, &below, bytes) > 1 || (told && !below.nheld);
}

/* So many are evaluated, of which l would be one more. */
static int enough(const Waiting *w, const Lazy *l, int most)
{
    int graphs = waiting_graphs(w, l->graph), steps = whole_steps(most, graphs);
    int turns = turns_of(w, 0, graphs);
    return turns < TURNS || turns * graphs < steps ? steps : turns * graphs;
}

bool hold_takes(const Lazy *l)
{
    const FdType *elem = fd_root(l->graph->fd)->type->result;
    int64_t count;
    return l->box.rank > 1 && !is_divided() && rt_box_count(&l->box, &count) && native_makes() &&
           (size_t)fd_plane_offset(elem, fd_type_leaves(elem), count) >= hold_least(LEAST);
}

bool hold_begin(const Lazy *l, const Array *a, const CsSite *site)
{
    size_t bytes = a->head.buffer->bytes;
    Look below = look_below(l, bytes);
    int most = steps_of(l, &below, bytes);
    Waiting w = {0};
    if (!below.nheld && !below.loops && !rt.hold.busy)
        rt_fill_all(); /* it begins something: nothing piles up */
    for (int i = 0; i < below.nheld; i++) waiting_add(&w, below.held[i]->head.buffer->held, false);
    if (!w.n || (!w.full && w.n < enough(&w, l, most))) return true;
    buffer_lend(a->head.buffer); /* for those before it: a loop takes two arrays, not three */
    return fill_below(&below, site);
}

bool hold_take(Lazy *l, Buffer *b)
{
    struct Held *h = mem_object(sizeof *h);
    Lazy *own =
        h ? rt_object_new(sizeof *own + (size_t)l->ncaptures * sizeof(CsValue), CS_LAZY) : NULL;
    if (!own) {
        mem_object_free(h);
        if (cs_pending) rt_catch();
        return false;
    }
    CsHead head = own->head;
    memcpy(own, l, sizeof *l + (size_t)l->ncaptures * sizeof(CsValue));
    own->head = head;
    l->ncaptures = 0;
    h->lazy = own;
    h->buffer = b;
    h->most = most_of(own, b->bytes);
    h->number = ++rt.hold.count;
    h->next = rt.hold.first;
    if (h->next) h->next->before = h;
    rt.hold.first = b->held = h;
    buffer_lend(b);
    return true;
}

void *cs_view(void *fn, const CsSite *site)
{
    Lazy *l = fn;
    int32_t elem = elem_of_type(fd_root(l->graph->fd)->type->result);
    struct Held *h = mem_object(sizeof *h);
    Array *a = h ? rt_array_over(elem, &l->box, site) : NULL;
    if (!h) rt_throw_memory(site, sizeof *h);
    if (!a || !a->head.buffer) {
        mem_object_free(h);
        return a;
    }
    *h = (struct Held){.buffer = a->head.buffer, .lazy = cs_retain(l), .view = true};
    a->head.buffer->held = h;
    buffer_lend(a->head.buffer);
    return a;
}

static void detach(struct Held *h)
{
    if (h->next) h->next->before = h->before;
    if (h->before)
        h->before->next = h->next;
    else
        rt.hold.first = h->next;
    h->buffer->held = NULL;
}

void rt_unhold(Buffer *b)
{
    struct Held *h = b->held;
    if (h->view)
        b->held = NULL;
    else
        detach(h);
    cs_release(h->lazy);
    mem_object_free(h);
}

/* ---- evaluating --------------------------------------------------------------------------------- */

/* Those of a batch that somebody else refers to, by one kernel. False, perhaps with an exception. */
static bool fill_joined(const Waiting *w, int n, const int *kept, const Turning *turning,
                        const CsSite *site)
{
    Lazy *functions[WAITING_MOST];
    Buffer *buffers[WAITING_MOST];
    struct Held *held[WAITING_MOST];
    const struct Held *newest = w->held[kept[n - 1]];
    const CsSite *at = newest->lazy->site ? newest->lazy->site : site;
    Evaluation e = {0};
    int64_t count;
    bool ok = rt_box_count(&newest->lazy->box, &count);
    for (int i = 0; i < n; i++) {
        held[i] = w->held[kept[i]];
        functions[i] = held[i]->lazy;
        buffers[i] = held[i]->buffer;
        ok = ok && buffer_regain(buffers[i], at);
    }
    ok = ok && compose_joined(&e, n, functions, true, turning, at);
    for (int i = 0; i < n; i++) buffers[i]->held = NULL;
    ok = ok && eval_on_device(&e, n, buffers, count, at);
    for (int i = 0; i < n; i++) buffers[i]->held = held[i];
    compose_end(&e);
    return ok;
}

/* Of turns, so many a period: what stands between the first and the last two reads the first. */
static void skip_turns(Waiting *w, int n, int period, bool skip)
{
    for (int i = 0; i < period && n > TURNS * period; i++)
        w->held[n - TURNS * period + i]->as = skip ? w->held[i] : NULL;
}

/* The oldest that wait, by one kernel. */
typedef struct Batch {
    int n;      /* 0: it is not worth to make one yet */
    int period; /* so many a turn, by a kernel for any number of turns; 0: by one for these */
    bool plain; /* what is left, a turn: as if it were written as one */
} Batch;

/* False, perhaps without an exception. */
static bool fill_batch(Waiting *w, Batch batch, const CsSite *site)
{
    const int n = batch.n, period = batch.period;
    int kept[WAITING_MOST], nkept = waiting_kept(w, n, kept);
    Turning room = {0}, *turning = period ? &room : NULL;
    Buffer *buffers[WAITING_MOST];
    bool ok = !period ||
              (waiting_turns(w, 0, n, period, turning) && waiting_values(w, period, turning, site));
    for (int i = 0; i < n; i++) w->held[i]->through = true;
    for (int i = 0; i < nkept; i++) buffers[i] = w->held[kept[i]]->buffer;
    if (nkept == 1) w->held[kept[0]]->through = false;
    if (period) skip_turns(w, n, period, true);
    ok = ok &&
         (nkept == 1 ? eval_held(w->held[kept[0]]->lazy, buffers[0], !batch.plain, turning, site)
                     : fill_joined(w, nkept, kept, turning, site));
    for (int i = 0; i < room.n; i++) cs_release(room.moving[i].values);
    if (period) skip_turns(w, n, period, false);
    for (int i = 0; i < n; i++) w->held[i]->through = false;
    for (int i = 0; ok && i < nkept; i++) buffers[i]->refs++; /* whatever the others hold */
    for (int i = 0; ok && i < nkept; i++) rt_unhold(buffers[i]);
    for (int i = 0; ok && i < nkept; i++) buffer_release(buffers[i]);
    return ok;
}

/* h alone. */
static bool fill_one(struct Held *h, const CsSite *site)
{
    Buffer *b = h->buffer;
    rt.hold.busy++;
    bool into = h->lazy->graph->apart && native_makes();
    bool ok = into && into_dying(h->lazy, b, site);
    ok = ok || (!cs_pending && eval_held(h->lazy, b, false, NULL, site));
    if (!ok && !into && rt.error.kind == RT_MEMORY) { /* perhaps it needs none */
        rt_catch();
        ok = into_dying(h->lazy, b, site) ||
             (!cs_pending && eval_held(h->lazy, b, false, NULL, site));
    }
    rt.hold.busy--;
    if (ok) rt_unhold(b);
    return ok;
}

/* Have loops gone on for as long as the kernel of the first n, and those before it, take to be made? Or is it
 * there, of turns? */
static bool is_worth(const Waiting *w, int n, bool turns)
{
    const Lazy *oldest = w->held[0]->lazy;
    Graph *first = oldest->graph;
    double nodes = rt.hold.made;
    for (int i = 0; i < n; i++) nodes += w->held[i]->lazy->nodes;
    if (rt.hold.given || (turns && is_foreseen(oldest)) || (first->sizes >> n & 1)) return true;
    if (rt.hold.work <= work_to_make(nodes)) return false;
    first->sizes |= UINT64_C(1) << n;
    rt.hold.made = nodes;
    return true;
}

/* How many from `from` on are turns of a loop that one text takes, so many a turn; 0: none. All that somebody
 * else refers to has to be of the last one. */
static int turns_at_once(const Waiting *w, int from, int period)
{
    Turning turning;
    int kept[WAITING_MOST], n = (w->n - from) / period;
    if (n < TURNS) return 0;
    int most = turns_of(w, from, period);
    n = (n < most ? n : most) * period;
    if (n < TURNS * period || !waiting_turns(w, from, n, period, &turning)) return 0;
    for (int k = waiting_kept(w, from + n, kept); k-- > 0;)
        if (kept[k] >= from && kept[k] < from + n - period) return 0;
    return n;
}

/* Loops that are no turns do not wait for many. */
static void count_odd(const Waiting *w, int graphs, bool turns)
{
    Graph *g = w->held[0]->lazy->graph;
    if (w->n < TURNS * graphs || g->turns) return;
    g->odd = turns ? 0 : (uint8_t)(g->odd + 1);
    if (g->odd == ALONE) g->turns = 1;
}

/* What is left of turns that are foreseen. */
static Batch rest_of(const Waiting *w, int graphs)
{
    int kept[WAITING_MOST];
    bool turn = graphs > 1 && w->n >= graphs && waiting_kept(w, graphs, kept) == 1;
    return (Batch){.n = turn ? graphs : 1, .plain = turn};
}

/* Do they begin within a turn, of those that the program has a kernel for? */
static bool is_within(const Waiting *w, int graphs)
{
    bool ends = false, before = false;
    for (int i = 0; i < graphs && i < w->n; i++) {
        ends = w->held[i]->lazy->graph->ends_turn;
        before = before || (ends && i < graphs - 1);
    }
    return before && !ends;
}

/* As many of them as there may be a kernel for: few are built. */
static Batch batch_of(const Waiting *w)
{
    const Batch alone = {.n = 1}, later = {.n = 0};
    const struct Held *first = w->held[0];
    int graphs = waiting_graphs(w, first->lazy->graph), most = first->lazy->graph->most;
    if (is_foreseen(first->lazy) && is_within(w, graphs)) return alone;
    int turns = turns_at_once(w, 0, graphs);
    count_odd(w, graphs, turns > 0);
    if (turns && is_worth(w, TURNS * graphs, true)) return (Batch){.n = turns, .period = graphs};
    if (graphs > 1 && turns_at_once(w, 1, graphs - 1)) return alone; /* what they begin with */
    if (is_foreseen(first->lazy) && w->n < TURNS * graphs) return rest_of(w, graphs);
    if (!most || most > first->most) most = first->most;
    if (first->lazy->graph->most && most < graphs) return alone; /* there is no kernel for that */
    most = whole_steps(most, graphs);
    const int sizes[] = {most, whole_steps(most / 2, graphs), graphs};
    bool some = false;
    for (int i = 0; i < 3; i++) {
        if (sizes[i] < 2 || w->n < sizes[i]) continue;
        if (is_worth(w, sizes[i], false)) return (Batch){.n = sizes[i]};
        some = true;
    }
    return some ? later : alone;
}

static bool fill(Buffer *b, const CsSite *site)
{
    bool beside = true; /* with what hangs together with it, while there are kernels for that */
    bool early = false; /* it is not worth to make one */
    while (b->held) {
        Waiting w = {0};
        waiting_add(&w, b->held, beside);
        const Batch batch = w.full || early || !beside ? (Batch){.n = 1} : batch_of(&w);
        const int n = batch.n, period = batch.period;
        Graph *g = w.held[0]->lazy->graph;
        WaitingLines lines = waiting_lines(&w, n ? n : w.n);
        if (!n) waiting_say(&lines, "apart, loops have taken less time than making a kernel would");
        early = early || !n;
        if (n <= 1) {
            if (beside) {
                beside = false;
                continue;
            }
            if (!fill_one(w.held[0], site)) return false;
            beside = !w.full;
        } else if (fill_batch(&w, batch, site)) {
            waiting_say(&lines, period ? "one kernel, turns of one text" : "one kernel");
        } else if (cs_pending) {
            waiting_say(&lines, "apart, there is not so much memory");
            rt_catch();
            beside = false;
        } else if (period) {
            waiting_say(&lines, "no turns of one text");
            g->turns = (uint16_t)(n / period - 1 < TURNS ? 1 : n / period - 1);
        } else {
            waiting_say(&lines, "apart, no kernel keeps their rows");
            g->most = (uint16_t)(n / 2);
            g->apart = true;
            beside = false;
        }
    }
    return true;
}

bool rt_fill(Buffer *b, const CsSite *site)
{
    Graph *g = b->held->lazy->graph;
    Waiting w = {0};
    if (cs_pending) return false;
    if (b->held->view) return fill_one(b->held, site);
    waiting_add(&w, b->held, true);
    g->alone = w.n > 1 ? 0 : (uint8_t)(g->alone + 1);
    return fill(b, site);
}

void rt_fill_all(void)
{
    while (rt.hold.first && !cs_pending)
        if (!fill(rt.hold.first->buffer, rt.hold.first->lazy->site)) break;
    if (cs_pending) rt_catch();
}

/* ---- with a scalar ------------------------------------------------------------------------------ */

/* The array that is held back of those that an evaluation reads; NULL: none, or there are several. */
static struct Held *held_of(const Evaluation *e)
{
    struct Held *found = NULL;
    for (size_t i = 0; i < e->leaves.len; i++) {
        const Array *a = e->leaves.data[i].array;
        struct Held *h = a && a->head.buffer ? a->head.buffer->held : NULL;
        if (h && found && h != found) return NULL;
        if (h) found = h;
    }
    return found;
}

/* Are the steps before it there? Evaluates them. */
static bool is_next(struct Held *h, const CsSite *site)
{
    Look below = look_below(h->lazy, 0);
    rt.hold.busy++;
    bool ok = below.plain && fill_below(&below, site);
    rt.hold.busy--;
    return ok;
}

bool hold_with(const Evaluation *e, const Graph *g, const CsValue *captures, Buffer *out,
               const CsSite *site)
{
    struct Held *h = held_of(e);
    Buffer *b = h ? h->buffer : NULL;
    Evaluation both = {0};
    int64_t count;
    if (!h || e->composed->cheap || e->nclosures || !rt_box_count(&h->lazy->box, &count))
        return false;
    if (!is_next(h, site)) return false;
    h->through = h->lazy->joined = true;
    bool ok = compose_kept(&both, g, captures, site);
    h->through = h->lazy->joined = false;
    b->held = NULL;
    Array *const donors[] = {NULL, ok ? into_donor(h->lazy) : NULL};
    Buffer *const results[] = {out, b};
    both.donors = donors;
    ok = ok && eval_on_device(&both, 2, results, count, site);
    b->held = h;
    if (!ok) into_give_back(2, results, donors);
    compose_end(&both);
    if (ok) h->lazy->graph->alone = 0;
    if (ok) rt_unhold(b);
    return ok;
}

void hold_made(Graph *g)
{
    rt.hold.newest = g;
    rt.hold.at = rt.evaluations;
}

void hold_learn(const Evaluation *e)
{
    Graph *g = rt.hold.newest;
    rt.hold.newest = NULL;
    if (!g || rt.hold.at + 1 != rt.evaluations || g->told == TOLD) return;
    for (size_t i = 0; i < e->leaves.len; i++) {
        const Array *a = e->leaves.data[i].array;
        if (a && a->head.buffer && a->head.buffer->maker == g->serial) {
            g->told++;
            return;
        }
    }
}
