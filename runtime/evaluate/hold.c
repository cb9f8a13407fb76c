/* Steps of a loop over whole arrays, taken several at a time. An evaluation that cannot fail, of a graph
 * that made one of the arrays which it reads, is held back: its array is a handle whose buffer waits.
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

#include "../device/device.h"
#include "../device/memory.h"
#include "../objects/record.h"
#include "../state.h"
#include "compose.h"

enum {
    MOST = 8,        /* steps at a time */
    ALONE = 4,       /* steps in a row that somebody looked at: then the loop is left alone */
    TOLD = 2,        /* times that a scalar of an array follows it: then it does so each time */
    ROWS = 4,        /* that a kernel keeps of each step */
    LEAST = 1 << 20, /* bytes of an array */
    L2 = 1 << 20,    /* where no device says */
    TREE = 64        /* lazy values below one */
};
/* Bytes: before a kernel is built for it, a loop is long. Several steps in one take longer to build. */
static const double work_first = 6e9, work_told = 1e9;

/* CS_HOLD: the least bytes, at once; 0: never. */
static size_t least(void)
{
    if (!rt.hold.least) {
        size_t given = 0;
        int is = memory_size_from("CS_HOLD", &given, NULL);
        if (is < 0) rt_catch();
        rt.hold.given = is > 0;
        rt.hold.least = is > 0 ? given : LEAST;
        const char *s = getenv("CS_HOLD");
        if (s && strcmp(s, "0") == 0) rt.hold.least = SIZE_MAX;
    }
    return rt.hold.least;
}

/* ---- what an evaluation reads ----------------------------------------------------------------- */

typedef struct Look {
    uint32_t visit;
    int nlazies;     /* that were looked at */
    bool plain;      /* arrays and scalars only */
    Array *held;     /* the array that is held back */
    int32_t times;   /* how often it is captured */
    uint32_t serial; /* is there an array of this graph.. */
    size_t bytes;    /* ..of this size? */
    bool loops;
} Look;

static void look(Look *l, const Lazy *of);

static void look_at_array(Look *l, Array *a)
{
    Buffer *b = a->head.buffer;
    if (!b) return;
    l->loops = l->loops || (b->maker == l->serial && b->bytes == l->bytes);
    if (!b->held) return;
    if (l->held && l->held != a) l->plain = false;
    l->held = a;
    l->times++;
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

static Look look_below(const Lazy *of, size_t bytes)
{
    Look l = {.visit = ++rt.visit, .plain = true, .serial = of->graph->serial, .bytes = bytes};
    look(&l, of);
    return l;
}

/* ---- holding ----------------------------------------------------------------------------------- */

/* How many steps: the rows that are kept of all of them are to fit a cache. */
static int most_of(const Lazy *l, size_t bytes)
{
    const CgDevice *d = rt.device ? device_info() : NULL;
    size_t rows = (size_t)(l->box.dim[0].hi - l->box.dim[0].lo), row = bytes / rows,
           l2 = d && d->l2 ? d->l2 : L2;
    int most = MOST;
    while (most > 1 && row * ROWS * (size_t)most > l2) most /= 2;
    return most;
}

bool hold_wants(const Lazy *l, const Array *a, const CsSite *site)
{
    Graph *g = l->graph;
    if (a->head.rank < 2 || g->alone >= ALONE || a->head.buffer->bytes < least()) return false;
    Look below = look_below(l, a->head.buffer->bytes);
    if (!below.plain || !below.loops) return false;
    g->work += 2.0 * (double)a->head.buffer->bytes;
    bool told = g->told >= TOLD && (rt.hold.given || g->work > work_told);
    int most = rt.hold.given || g->work > work_first ? most_of(l, a->head.buffer->bytes) : 1;
    Buffer *before = below.held ? below.held->head.buffer : NULL;
    if (most <= 1 && (!told || before)) return false;
    if (!before || before->held->levels < most) return true;
    buffer_lend(a->head.buffer); /* for those before it: a loop takes two arrays, not three */
    return rt_fill(before, site);
}

bool hold_take(Lazy *l, Buffer *b)
{
    Look below = look_below(l, b->bytes);
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
    h->levels = below.held ? below.held->head.buffer->held->levels + 1 : 1;
    h->next = rt.hold.first;
    if (h->next) h->next->before = h;
    rt.hold.first = b->held = h;
    buffer_lend(b);
    return true;
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
    detach(h);
    cs_release(h->lazy);
    mem_object_free(h);
}

/* ---- evaluating --------------------------------------------------------------------------------- */

typedef struct Chain {
    int n;
    struct Held *steps[MOST]; /* the newest first */
} Chain;

/* The steps that end with h, back to an array that is there or that somebody else may look at; this one
 * is *first then, else NULL. */
static Chain chain_of(struct Held *h, Array **first)
{
    Chain c = {.n = 1, .steps = {h}};
    *first = NULL;
    for (;;) {
        Look below = look_below(h->lazy, 0);
        Array *a = below.held;
        if (!a) return c;
        bool ours = a->head.head.refs == below.times && a->head.buffer->refs == 1;
        if (!ours || c.n == MOST || !below.plain) {
            *first = a;
            return c;
        }
        c.steps[c.n++] = h = a->head.buffer->held;
    }
}

static void through(const Chain *c, bool is)
{
    for (int i = 1; i < c->n; i++) c->steps[i]->through = is;
}

/* All steps of a chain by one kernel. False, perhaps without an exception. */
static bool fill_whole(const Chain *c, const CsSite *site)
{
    struct Held *h = c->steps[0];
    through(c, true);
    bool ok = eval_held(h->lazy, h->buffer, c->n > 1, site);
    through(c, false);
    return ok;
}

static bool fill(struct Held *h, const CsSite *site);

/* The earlier steps of a chain that is not as long as a kernel that there may be: few are built. */
static bool fill_earlier(const Chain *c, int steps, const CsSite *site)
{
    return fill(c->steps[c->n - steps], site);
}

static bool fill(struct Held *h, const CsSite *site)
{
    Graph *g = h->lazy->graph;
    for (;;) {
        Array *first;
        Chain c = chain_of(h, &first);
        if (first) {
            if (!fill(first->head.buffer->held, site)) return false;
            continue;
        }
        int most = g->most && g->most < h->most ? g->most : h->most;
        int steps = c.n >= most ? most : c.n >= most / 2 && most >= 2 ? most / 2 : 1;
        if (steps < c.n) {
            if (!fill_earlier(&c, steps, site)) return false;
            continue;
        }
        if (fill_whole(&c, site)) break;
        if (cs_pending || c.n == 1) return false;
        g->most = (uint16_t)(c.n / 2);
    }
    rt_unhold(h->buffer);
    return true;
}

bool rt_fill(Buffer *b, const CsSite *site)
{
    Graph *g = b->held->lazy->graph;
    if (cs_pending) return false;
    g->alone = b->held->levels > 1 ? 0 : (uint8_t)(g->alone + 1);
    return fill(b->held, site);
}

void rt_fill_all(void)
{
    while (rt.hold.first && !cs_pending)
        if (!fill(rt.hold.first, rt.hold.first->lazy->site)) break;
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
    return below.plain && (!below.held || rt_fill(below.held->head.buffer, site));
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
    if (!is_next(h, site) || !buffer_regain(b, site)) return false;
    h->through = h->kept = true;
    bool ok = compose_kept(&both, g, captures, site);
    h->through = h->kept = false;
    b->held = NULL;
    ok = ok && eval_on_device(&both, 2, (Buffer *[]){out, b}, count, site);
    b->held = h;
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
