/* One slice of a recurrence as repeated steps (repeat.h). */
#include "repeat.h"

#include "index/affine.h"
#include "index/facts/facts.h"
#include "internal.h"

/* ---- which recurrences ------------------------------------------------------------------------- */

typedef struct Find {
    const FdNode *rec, *at; /* NULL: none so far */
    int lags;
    bool good;
} Find;

static bool is_recurrence(const FdNode *n)
{
    return n->kind == FD_LET && n->self;
}

static bool is_bound_of(const FdNode *n, const FdNode *f)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return (op == FD_OP_LOWER || op == FD_OP_UPPER) && n->args[0] == f;
}

/* A use of the recurrence outside of itself: at one place along its first variable. */
static void used(Find *f, const FdNode *n)
{
    if (f->rec && n->fn != f->rec) f->good = false;
    f->rec = n->fn;
    if (f->at && n->args[0] != f->at) f->good = false;
    f->at = n->args[0];
}

static void find(Find *f, const FdNode *root)
{
    FdWalk w = fd_walk(root);
    for (const FdNode *n; f->good && (n = fd_walk_next(&w));) {
        const FdNode *below[FD_MAX_CHILDREN];
        if (is_recurrence(n)) f->good = false; /* used as a whole */
        bool applies = n->kind == FD_APPLY && is_recurrence(n->fn);
        if (applies) used(f, n);
        for (int i = fd_children(n, below); i-- > 0;) {
            bool bound = is_recurrence(below[i]) && is_bound_of(n, below[i]);
            if (bound || (applies && below[i] == n->fn)) continue;
            fd_walk_add(&w, below[i]);
        }
    }
    fd_walk_end(&w);
}

/* How many slices back a read of itself is; 0: nobody knows, or they are too many. */
static int lag_of(const FdNode *read, const FdNode *k)
{
    FdAffine form;
    int64_t factor;
    bool good = fd_affine(read->args[0], &form) && form.nterms == 1 &&
                fd_affine_factor(&form, k, &factor) && factor == 1 && form.constant < 0 &&
                form.constant >= -FD_REPEAT_LAGS;
    return good ? (int)-form.constant : 0;
}

static void find_lags(Find *f)
{
    const FdNode *rec = f->rec;
    FdWalk w = fd_walk(rec->body);
    for (const FdNode *n; f->good && (n = fd_walk_next(&w));) {
        const FdNode *below[FD_MAX_CHILDREN];
        bool reads = n->kind == FD_APPLY && n->fn == rec->self;
        int lag = reads ? lag_of(n, rec->vars[0]) : 0;
        if (is_recurrence(n) || n == rec->self || (reads && !lag)) f->good = false;
        if (lag > f->lags) f->lags = lag;
        for (int i = fd_children(n, below); i-- > 0;)
            if (!reads || below[i] != n->fn) fd_walk_add(&w, below[i]);
    }
    f->good = f->good && f->lags > 0;
    fd_walk_end(&w);
}

/* Slices are arrays of ranges that are the same for all. */
static bool has_slices(const FdNode *rec)
{
    bool good = rec->nvars > 1 && !rec->type->result->result;
    for (int i = 0; good && i < rec->nvars; i++)
        good = fd_type_is_scalar(rec->vars[i]->type) && rec->vars[i]->type->scalar == SC_INT &&
               rec->doms[i].kind == FD_DOM_GIVEN && fd_range_closed(&rec->doms[i]);
    return good;
}

/* ---- its graphs -------------------------------------------------------------------------------- */

typedef struct Split {
    const FdNode *rec;
    const FdNode *slices[FD_REPEAT_LAGS];
} Split;

static const FdNode *slice_read(Fd *fd, const FdNode *slice, const FdNode *n)
{
    return fd_apply(fd, slice, n->nargs - 1, n->args + 1, n->loc);
}

static const FdNode *in_step(void *ctx, Fd *fd, const FdNode *n)
{
    const Split *s = ctx;
    if (n->kind != FD_APPLY || n->fn != s->rec->self) return NULL;
    return slice_read(fd, s->slices[lag_of(n, s->rec->vars[0]) - 1], n);
}

static const FdNode *in_rest(void *ctx, Fd *fd, const FdNode *n)
{
    const Split *s = ctx;
    if (n->kind == FD_APPLY && n->fn == s->rec) return slice_read(fd, s->slices[0], n);
    if (!is_bound_of(n, s->rec)) return NULL;
    const FdDom *d = &s->rec->doms[n->args[1]->value.i];
    return fdi_to_long(fd, fd_op_of(n) == FD_OP_LOWER ? d->lo : d->hi);
}

/* g's slots and room for more. */
static FdGraph *graph_of(Fd *fd, const FdGraph *g, int more)
{
    FdGraph *made = arena_new_of(fd->arena, FdGraph);
    *made = (FdGraph){.nslots = g->nslots, .hints = g->hints};
    made->slots = arena_array(fd->arena, FdSlot, g->nslots + more);
    for (int i = 0; i < g->nslots; i++) made->slots[i] = g->slots[i];
    return made;
}

static const FdNode *add_slice(Fd *fd, FdGraph *g, const FdNode *rec)
{
    FdSlot slot = {.type = fd_type_array_of(fd, rec->type->result, rec->nvars - 1),
                   .name = rec->self->name,
                   .is_array = true};
    g->slots[g->nslots] = slot;
    return fd_slot(fd, g->nslots++, slot.type, slot.name);
}

/* The body of a step before which there are `lags` others. */
static const FdNode *body_later(Fd *fd, const FdNode *rec, const FdNode *body, const FdNode *now,
                                int lags)
{
    FdFacts *f = fd_facts_new(fd, rec->nvars - 1, rec->vars + 1, rec->doms + 1, body);
    FdAffine before = {.constant = lags};
    if (fd_affine_add(&before, rec->doms[0].lo, 1) && fd_affine_add(&before, now, -1))
        fd_fact(f, &before);
    body = fd_under(f, body);
    fd_facts_free(f);
    return body;
}

static FdGraph *step_of(Fd *fd, const FdGraph *g, const FdNode *rec, int lags, bool later)
{
    FdGraph *made = graph_of(fd, g, 1 + lags);
    Split s = {.rec = rec};
    const FdNode *k = rec->vars[0];
    made->slots[made->nslots] = (FdSlot){.type = k->type, .name = k->name};
    const FdNode *now = fd_slot(fd, made->nslots++, k->type, k->name);
    for (int i = 0; i < lags; i++) s.slices[i] = add_slice(fd, made, rec);
    const FdNode *body = fd_rewrite(fd, rec->body, in_step, &s);
    body = fdi_replace_vars(fd, body, 1, &k, &now);
    if (later) body = body_later(fd, rec, body, now, lags);
    fd_set_root(fd, made, fd_let(fd, rec->nvars - 1, rec->vars + 1, rec->doms + 1, body, rec->loc));
    return made;
}

static FdGraph *rest_of(Fd *fd, const FdGraph *g, const FdNode *rec)
{
    FdGraph *made = graph_of(fd, g, 1);
    Split s = {.rec = rec, .slices = {add_slice(fd, made, rec)}};
    fd_set_root(fd, made, fd_rewrite(fd, fd_root(g), in_rest, &s));
    return made;
}

bool fd_repeat(Fd *fd, const FdGraph *g, FdRepeat *out)
{
    Find f = {.good = g->nresults == 1 && !g->results[0].part && !g->nagrees};
    for (int i = 0; i < g->nslots; i++) f.good = f.good && !g->slots[i].def;
    if (f.good) find(&f, fd_root(g));
    f.good = f.good && f.rec && fd_closed(f.rec) && has_slices(f.rec) && fdi_node(f.at)->evaluable;
    if (f.good) find_lags(&f);
    if (!f.good) return false;
    *out = (FdRepeat){.lags = f.lags, .first = f.rec->doms[0].lo, .last = f.at};
    out->end = f.rec->doms[0].hi;
    out->step = step_of(fd, g, f.rec, f.lags, false);
    out->later = step_of(fd, g, f.rec, f.lags, true);
    out->rest = rest_of(fd, g, f.rec);
    return true;
}
