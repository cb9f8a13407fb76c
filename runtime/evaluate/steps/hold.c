/* Steps of a loop over whole arrays, taken several at a time, and what a step is made of. An evaluation that
 * cannot fail is held back, of turns that csc foresaw or of a graph that went through much memory: its array is a
 * handle whose buffer waits. When somebody looks at the elements, or a few steps wait on each other, they are
 * composed into one graph, of which each step is a temporary:
 *
 *   for (..) u = step(u);                  u4 = step(step(step(step(u))))
 *
 * Kernels keep such temporaries by rows (codegen/kernel/schedule/bands/bands.h), so that a band of
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
#include "../../state.h"
#include "../compose/compose.h"
#include "../into.h"
#include "../plan.h"
#include "batch.h"
#include "waiting.h"

enum {
    ALONE = 4,       /* steps in a row that were looked at with all they make: not held back.. */
    AGAIN = 16,      /* ..so many times: then another loop may go through the graph */
    TOLD = 2,        /* times that a scalar of an array follows it: then it does so each time */
    LEAST = 1 << 20, /* bytes of what a turn makes.. */
    EACH = 3 << 16,  /* ..and of each of its arrays */
    LARGE = 1 << 23  /* of an array: few turns may be kept in a larger cache */
};
/* Bytes: before a kernel is built for it, a loop is long. It takes .1 s by csc, seconds by a driver. */
typedef struct Work {
    double first, told;
} Work;

static Work work_before(void)
{
    return native_makes() ? (Work){1e9, 3e8} : (Work){6e9, 1e9};
}

/* ---- holding ----------------------------------------------------------------------------------- */

/* Evaluates those that an evaluation reads. */
static bool fill_below(const Look *below, const CsSite *site)
{
    for (int i = 0; i < below->nheld; i++) {
        Buffer *b = below->held[i]->head.buffer;
        if (b->held && !rt_fill(b, site)) return false;
    }
    return true;
}

/* Once so, it stays so: of all graphs that loops evaluate so many steps could be a kernel. */
static bool is_long(const Lazy *l, double least, int steps)
{
    Graph *g = l->graph;
    g->is_long = g->is_long || (g->work > least &&
                                rt.hold.work > batch_work(rt.hold.made + rt.hold.nodes * steps));
    return plan_joins() == PLAN_GREEDY || batch_is_foreseen(l) || g->is_long;
}

/* How many of its loop; 1 while that is not known to be long. What reads something held back belongs to it. */
static int steps_of(const Lazy *l, const Look *below, size_t bytes)
{
    if (!below->nheld && !is_long(l, work_before().first, 2)) return 1;
    int most = batch_most(l, bytes);
    return most == 1 && l->graph->turns != 1 && bytes >= LARGE ? BATCH_TURNS : most;
}

/* Bytes that a turn makes. Arrays of one that csc foresaw count together: each would be a launch. */
static size_t made_by(const Graph *g, size_t bytes)
{
    return g->whole ? bytes * g->whole : bytes;
}

static bool is_small(const Graph *g, size_t bytes)
{
    return made_by(g, bytes) < plan_least(LEAST) || bytes < plan_least(EACH);
}

/* Do the arrays of a turn and of the one before it stay where they are reached as soon as rows of turns that are taken
 * together? They are at least what a turn reads. Rows that are made of no rows beside them stay closer. */
static bool is_close(const Graph *g, size_t bytes, size_t reads, int lazies)
{
    const size_t made = made_by(g, bytes), most = made > reads ? made : reads;
    return plan_joins() == PLAN_USUAL && (g->neighbours || lazies > 1) &&
           2 * most <= native_close();
}

/* Has one step after the other been looked at lately? */
static bool is_alone(Graph *g)
{
    if (g->alone < ALONE) return false;
    if (++g->alone < ALONE + AGAIN) return true;
    g->alone = ALONE - 1;
    return false;
}

/* Why an evaluation is never held back; NULL: it may be. */
static const char *unfit(const Lazy *l, size_t bytes)
{
    const FdNode *root = fd_root(l->graph->fd);
    if (l->box.rank < 2) return "arrays of one dimension are not held back";
    if (is_small(l->graph, bytes)) return "less than 1 MiB a turn is not held back";
    if (is_alone(l->graph)) return "each step was looked at";
    size_t kept =
        bytes; /* by what waits: its array, once it is made, and what it reads until then */
    for (const struct Held *h = rt.hold.first; h; h = h->next) kept += 2 * h->buffer->bytes;
    if (memory_is_short(kept)) return "memory is short, and what waits keeps what it reads";
    return root->kind != FD_LET || root->self ? "recurrences are not held back" : NULL;
}

bool hold_wants(const Lazy *l, size_t bytes)
{
    Graph *g = l->graph;
    const char *why = unfit(l, bytes);
    Look below = {0};
    if (!why) {
        below = look_below(l, bytes);
        if (!below.plain) why = "it reads functions of the host, or a view";
    }
    if (!why && !below.nheld && is_close(g, bytes, below.reads, below.nlazies))
        why = "what a loop goes through stays in a cache that is close";
    if (why) plan_alone(l->site, why);
    if (why) return false;
    if (!g->work) rt.hold.nodes += l->nodes;
    g->work += 2.0 * (double)bytes;
    rt.hold.work += 2.0 * (double)bytes;
    bool told = below.loops && g->told >= TOLD && is_long(l, work_before().told, 1);
    if (!g->wide && (steps_of(l, &below, bytes) > 1 || (told && !below.nheld))) return true;
    plan_alone(l->site, g->wide       ? "its reductions are over ranges that are no numbers"
                        : below.loops ? "csc foresaw no turns, and no loop is long yet"
                                      : NULL);
    return false;
}

bool hold_takes(const Graph *g, const FdBox *box)
{
    const FdType *elem = fd_root(g->fd)->type->result;
    int64_t count;
    if (box->rank < 2 || !rt_box_count(box, &count) || !native_makes()) return false;
    size_t bytes = (size_t)fd_plane_offset(elem, fd_type_leaves(elem), count);
    return !is_small(g, bytes) && !is_close(g, bytes, 0, 1);
}

/* Does it go on with a turn that csc foresaw? */
static bool is_of_turn(const Lazy *l)
{
    const struct Held *newest = rt.hold.first;
    return newest && batch_is_foreseen(l) && batch_is_foreseen(newest->lazy) &&
           !newest->lazy->graph->ends_turn;
}

bool hold_begin(const Lazy *l, const Array *a, const CsSite *site)
{
    size_t bytes = a->head.buffer->bytes;
    Look below = look_below(l, bytes);
    int most = steps_of(l, &below, bytes);
    Waiting w = {0};
    if (!below.nheld && !below.loops && !rt.hold.busy && !is_of_turn(l))
        rt_fill_all(); /* it begins something: nothing piles up */
    for (int i = 0; i < below.nheld; i++) waiting_add(&w, below.held[i]->head.buffer->held, false);
    if (batch_is_over(&w, l)) return fill_below(&below, site);
    int more = 0, enough = w.full || !w.n ? 0 : batch_enough(&w, l, most, &more);
    if (!w.n || w.n < enough + more) return true;
    buffer_lend(a->head.buffer); /* for those before it: a loop takes two arrays, not three */
    /* the oldest alone: what has begun a turn since goes on with it */
    return enough ? rt_fill(w.held[enough - 1]->buffer, site) : fill_below(&below, site);
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
    h->most = batch_most(own, b->bytes);
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
static bool fill_joined(const Waiting *w, int n, const int *kept, bool steps,
                        const Turning *turning, const CsSite *site)
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
    ok = ok && compose_joined(&e, n, functions, steps, turning, at);
    for (int i = 0; i < n; i++) buffers[i]->held = NULL;
    ok = ok && eval_on_device(&e, n, buffers, count, at);
    for (int i = 0; i < n; i++) buffers[i]->held = held[i];
    compose_end(&e);
    return ok;
}

/* Of turns, so many a period: what stands between the first and the last two reads the first. */
static void skip_turns(Waiting *w, int n, int period, bool skip)
{
    for (int i = 0; i < period && n > BATCH_TURNS * period; i++)
        w->held[n - BATCH_TURNS * period + i]->as = skip ? w->held[i] : NULL;
}

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
    const PlanLines told = {0}; /* by fill */
    rt.plan.all = &told;
    ok = ok &&
         (nkept == 1 ? eval_held(w->held[kept[0]]->lazy, buffers[0], !batch.plain, turning, site)
                     : fill_joined(w, nkept, kept, !batch.plain, turning, site));
    rt.plan.all = NULL;
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
    if (!ok && !into && cs_pending && rt.error.kind == RT_MEMORY) { /* perhaps it needs none */
        rt_catch();
        ok = into_dying(h->lazy, b, site) ||
             (!cs_pending && eval_held(h->lazy, b, false, NULL, site));
    }
    rt.hold.busy--;
    if (ok) rt_unhold(b);
    return ok;
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
        PlanLines lines = waiting_lines(&w, n ? n : w.n);
        if (!n) plan_waited(&lines, "loops have taken less time than making a kernel would");
        early = early || !n;
        if (n <= 1) {
            if (beside) {
                beside = false;
                continue;
            }
            if (!fill_one(w.held[0], site)) return false;
            beside = !w.full;
        } else if (fill_batch(&w, batch, site)) {
            plan_waited(&lines, NULL);
        } else if (cs_pending) {
            plan_waited(&lines, "there is not so much memory");
            rt_catch();
            beside = false;
        } else if (batch.both) {
            plan_waited(&lines, "no kernel goes forth and back");
            g->one_way = true;
        } else if (period) {
            plan_waited(&lines, "no kernel keeps rows of so many turns");
            int fewer = n / period - 1; /* in any case fewer than before */
            g->turns =
                (uint16_t)(fewer < BATCH_TURNS || (g->turns && fewer >= g->turns) ? 1 : fewer);
        } else {
            plan_waited(&lines, "no kernel keeps their rows");
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
    int kept[WAITING_MOST];
    if (cs_pending) return false;
    if (b->held->view) return fill_one(b->held, site);
    waiting_add(&w, b->held, true);
    bool saves = waiting_kept(&w, w.n, kept) < w.n; /* an array that nobody refers to */
    g->alone = saves ? 0 : (uint8_t)(g->alone + 1);
    return fill(b, site);
}

void rt_fill_all(void)
{
    while (rt.hold.first && !cs_pending)
        if (!fill(rt.hold.first->buffer, rt.hold.first->lazy->site)) break;
    if (cs_pending) rt_catch();
}

int32_t cs_waits(void *fn)
{
    const Array *a = fn;
    const struct Held *h =
        fn && a->head.head.kind == CS_ARRAY && a->head.buffer ? a->head.buffer->held : NULL;
    return h && !h->view;
}

int32_t cs_settle(void)
{
    rt_fill_all();
    return 1;
}

/* ---- with a scalar ------------------------------------------------------------------------------ */

static bool is_below(const Look *below, const struct Held *h)
{
    for (int i = 0; i < below->nheld; i++)
        if (below->held[i]->head.buffer->held == h) return true;
    return false;
}

/* The array that is held back of those that an evaluation reads, the newest if that is made of the others; NULL:
 * there is none such. */
static struct Held *held_of(const Evaluation *e)
{
    struct Held *all[WAITING_READS], *newest = NULL;
    int n = 0;
    for (size_t i = 0; i < e->leaves.len; i++) {
        const Array *a = e->leaves.data[i].array;
        struct Held *h = a && a->head.buffer ? a->head.buffer->held : NULL;
        if (!h) continue;
        if (n == WAITING_READS) return NULL;
        all[n++] = h;
        if (!newest || h->number > newest->number) newest = h;
    }
    if (!newest || n == 1) return newest;
    const Look below = look_below(newest->lazy, 0);
    for (int i = 0; i < n; i++)
        if (all[i] != newest && !is_below(&below, all[i])) return NULL;
    return newest;
}

/* Do several turns of its loop wait? Then the loop is over: a kernel of the last one with a scalar would be made for
 * that once. */
static bool is_several(struct Held *h)
{
    Waiting w = {0};
    int turns = 0;
    waiting_add(&w, h, false);
    for (int i = 0; i < w.n; i++) turns += w.held[i]->lazy->graph == h->lazy->graph;
    return turns > 1 && plan_joins() != PLAN_GREEDY;
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

bool hold_with(const Evaluation *e, Graph *g, const CsValue *captures, Buffer *out,
               const CsSite *site)
{
    struct Held *h = held_of(e);
    Buffer *b = h ? h->buffer : NULL;
    Evaluation both = {0};
    int64_t count;
    if (!h || e->composed->cheap || e->nclosures || !rt_box_count(&h->lazy->box, &count))
        return false;
    if (batch_is_within_turn(h->lazy) || is_several(h)) return false;
    if (!is_long(h->lazy, work_before().told, 1))
        return false; /* a kernel would be made for that once */
    if (!is_next(h, site)) return false;
    h->through = h->lazy->joined = true;
    bool ok = compose_kept(&both, g, captures, site);
    h->through = h->lazy->joined = false;
    b->held = NULL;
    Array *const donors[] = {NULL, ok ? into_donor(h->lazy) : NULL};
    Buffer *const results[] = {out, b};
    const CsSite *at = h->lazy->site;
    const PlanLines lines = {2, {at ? at->line : 0, site ? site->line : 0}, 0};
    both.donors = donors;
    both.lines = &lines;
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
