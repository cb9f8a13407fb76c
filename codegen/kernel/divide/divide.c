/* Divisions of schedules (divide.h). Launches that write the result are cut along the same of its dimensions, at the same rows:
 * where least is missing of what the shares read. Those that make parts of reductions, or temporaries, are cut by
 * themselves, and what they wrote goes to all. Each share does whole items of launches, so all bits are those of the whole. */
#include "impl.h"
#include "rounds.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Of a cut along dimensions from the one `inner` further on. */
static void add_inner_reads(const Divide *v, CgCut *c, int inner)
{
    CgRead *reads = arena_array(v->in->arena, CgRead, c->nreads ? c->nreads : 1);
    for (int i = 0; i < c->nreads; i++) {
        reads[i] = c->reads[i];
        reads[i].first += inner;
        reads[i].count -= inner;
        reads[i].n = c->n;
        reads[i].each = false; /* the same again in the other dimensions */
    }
    c->reads = reads;
}

static bool has_cut(const CgCut *cuts, int n, int first, int count)
{
    for (int i = 0; i < n; i++)
        if (cuts[i].first == first && cuts[i].count == count) return true;
    return false;
}

/* One of several dimensions, if what items do beside a share's own positions is little. */
static bool cut_within(const Divide *v, const CgCut *c, int dim, CgCut *x)
{
    enum { FEW = 8 };
    int64_t n = fd_box_length(&v->box, dim), before = 1, each = 1;
    for (int d = c->first; d < dim; d++) before *= fd_box_length(&v->box, d);
    for (int d = dim + 1; d < c->first + c->count; d++) each *= fd_box_length(&v->box, d);
    if (v->in->into || n < 2 || each < 1 || c->step < 1 || c->n != before * n * each) return false;
    int64_t beside = each % c->step ? (c->step + each - 2) / each : 0;
    *x = *c;
    x->first = dim;
    x->count = 1;
    x->n = n;
    x->step = 1;
    x->nreads = 0;
    x->repeats = before;
    x->each = each;
    x->by = c->step;
    x->span = n * each;
    return beside * FEW * v->in->shares <= n;
}

/* A cut along several dimensions as one is one along the last of them, too, where items do not go across their ends: then
 * each share has items everywhere. In front of the launch's own. */
static void add_inner_cuts(const Divide *v, CgLaunch *l)
{
    int n = 0;
    CgCut *cuts = arena_array(v->in->arena, CgCut, l->ncuts * (1 + 2 * FD_MAX_RANK) + 1);
    for (int i = 0; i < l->ncuts; i++) {
        const CgCut *c = &l->cuts[i];
        bool results = true;
        for (int k = 0; k < c->nwrites; k++) results &= c->writes[k].kind == CG_ARG_OUT;
        cuts[n++] = *c;
        for (int inner = 1; v->known && results && c->from == 0 && inner < c->count; inner++) {
            CgCut x = *c;
            x.first += inner;
            x.count -= inner;
            x.n = 1;
            for (int d = x.first; d < x.first + x.count; d++)
                x.n *= v->box.dim[d].hi - v->box.dim[d].lo;
            if (x.n <= 0 || c->n % x.n || x.step <= 0 || x.n % x.step) continue;
            x.repeats = c->n / x.n;
            x.each = x.by = 1; /* whole items */
            x.span = x.n / x.step;
            add_inner_reads(v, &x, inner);
            cuts[n++] = x;
        }
        for (int dim = c->first + 1;
             v->known && results && c->from == 0 && dim < c->first + c->count; dim++)
            if (!has_cut(cuts, n, dim, 1) && cut_within(v, c, dim, &cuts[n])) n++;
    }
    l->cuts = cuts;
    l->ncuts = n;
}

/* ---- how launches are cut ---------------------------------------------------------------------- */

/* The item that share s begins with: the one nearest to its part of the positions, for the last item may be short. */
static int64_t share_begins(const CgCut *c, int s, int n)
{
    return s < n ? (c->n * s / n + c->step / 2) / c->step : cut_groups(c);
}

/* By items, evenly. */
static void cut_evenly(Division *d, DividedLaunch *l, const CgCut *c)
{
    l->cut = c;
    for (int s = 0; s < d->n; s++) {
        l->from[s] = share_begins(c, s, d->n);
        l->to[s] = share_begins(c, s + 1, d->n);
    }
}

/* Turns hand on rows from each share to the next, which each have enough of them; only short ones may report errors, which come
 * in the order of shares. */
static bool hands_on(const Division *d, const DividedLaunch *l, const CgLaunch *launch,
                     const int64_t *own)
{
    const CgTurns *t = &l->cut->turns;
    bool good = !launch->again && (!launch_tells(launch) || (t->kind == CG_TURNS_ROWS && !t->down));
    for (int s = 0; good && s < d->n; s++)
        good = l->from[s] < l->to[s] && own[s + 1] - own[s] >= t->back;
    return good;
}

/* Do shares own whole items? */
static bool cut_at_rows(Division *d, DividedLaunch *l, const CgCut *c, const int64_t *own)
{
    int64_t groups = cut_groups(c);
    for (int s = 0; s <= d->n; s++) {
        int64_t at = own[s] - c->from;
        if (at > 0 && at < c->n && at % c->step) return false;
        int64_t group = at <= 0 ? 0 : at >= c->n ? groups : at / c->step;
        if (s < d->n) l->from[s] = group;
        if (s > 0) l->to[s - 1] = group;
    }
    l->cut = c;
    return true;
}

/* Of turns the one with most columns. */
static const CgCut *cut_along(const Divide *v, const CgLaunch *l)
{
    const CgCut *best = NULL;
    for (int i = 0; i < l->ncuts; i++) {
        const CgCut *c = &l->cuts[i];
        bool along = c->count == v->count && c->first == v->first && v->count && !c->inner;
        if (along && best && c->turns.n * best->turns.step <= best->turns.n * c->turns.step)
            continue;
        if (along) best = c;
    }
    return best;
}

static bool writes_out(const CgCut *c)
{
    for (int i = 0; i < c->nwrites; i++)
        if (c->writes[i].kind == CG_ARG_OUT) return true;
    return false;
}

/* Bytes of temporaries that go to all; -1: readers would have to be divided alike, or each makes it sooner. */
static double sent_by(const CgCut *c)
{
    double bytes = 0;
    for (int i = 0; i < c->nwrites; i++) {
        const CgWrite *w = &c->writes[i];
        if (w->own || w->light || w->kind == CG_ARG_OUT) return -1;
        bytes += write_bytes(w);
    }
    return bytes;
}

/* Does it act only if others note a failure, and read no temporaries? */
static bool is_late(const CgLaunch *l)
{
    bool late = l->again;
    for (int i = 0; i < l->nargs; i++) late = late && l->args[i].kind != CG_ARG_TEMP;
    return late;
}

/* Rows that shares own: those of whole items of the last launch that writes the result along these dimensions, whose
 * items are as many as any's. */
static bool find_own(Divide *v)
{
    Division *d = v->d;
    const CgCut *by = NULL;
    int64_t rows = 1;
    for (int i = 0; i < d->nlaunches; i++) {
        const CgLaunch *l = &v->in->schedule->launches[i];
        const CgCut *c = cut_along(v, l);
        if (v->late && is_late(l)) continue;
        if (c && writes_out(c) && cut_groups(c) > 1 && (!by || c->step >= by->step)) by = c;
    }
    if (!by) return false;
    for (int k = v->first; k < v->first + v->count; k++)
        rows *= v->box.dim[k].hi - v->box.dim[k].lo;
    for (int s = 0; s <= d->n; s++) d->own[s] = by->from + share_begins(by, s, d->n) * by->step;
    d->own[0] = 0;
    for (int s = 1; s <= d->n; s++)
        if (d->own[s] > rows || s == d->n) d->own[s] = rows;
    return true;
}

static bool takes_out(const Divide *v, const CgLaunch *l)
{
    bool takes_one = false;
    for (int i = 0; i < v->d->nouts; i++) takes_one |= launch_takes(l, CG_ARG_OUT, i);
    return takes_one;
}

static bool takes_array(const Divide *v, const CgLaunch *l)
{
    bool takes_one = false;
    for (int i = 0; i < v->d->nouts; i++)
        takes_one |= v->types[i] && launch_takes(l, CG_ARG_OUT, i);
    return takes_one;
}

/* Does it write all results that it takes, which are arrays? Temporaries beside them go to all, unless they are large. */
static bool writes_arrays(const Divide *v, const CgCut *c, const CgLaunch *l)
{
    bool all = true;
    double bytes = 0;
    for (int i = 0; i < v->d->nouts; i++) {
        bool writes = false;
        for (int k = 0; k < c->nwrites; k++)
            writes |= c->writes[k].kind == CG_ARG_OUT && c->writes[k].index == i;
        all = all && writes == launch_takes(l, CG_ARG_OUT, i) && (!writes || v->types[i]);
    }
    for (int k = 0; k < c->nwrites; k++) bytes += write_bytes(&c->writes[k]);
    return all && (v->in->blocks || bytes * BYTE_WORK <= v->in->work);
}

/* Launches that write the result are all cut, or concern few rows: else the result is whole. */
static bool cut_results(Divide *v)
{
    Division *d = v->d;
    bool good = find_own(v);
    for (int i = 0; good && i < d->nlaunches; i++) {
        const CgLaunch *l = &v->in->schedule->launches[i];
        const CgCut *c = cut_along(v, l);
        if (!takes_array(v, l)) continue;
        d->launches[i].late = v->late && is_late(l);
        if (d->launches[i].late) continue;
        if (c && writes_arrays(v, c, l) && cut_groups(c) > 1) {
            good = cut_at_rows(d, &d->launches[i], c, d->own);
            if (good && c->turns.kind) good = hands_on(d, &d->launches[i], l, d->own);
            d->launches[i].gathered = true;
        } else {
            good = cut_only(v, l) != NULL;
        }
    }
    return good;
}

/* What a launch writes of temporaries, evenly; all get it. */
static void cut_temporaries(Divide *v, int i)
{
    Division *d = v->d;
    const CgLaunch *l = &v->in->schedule->launches[i];
    const CgCut *best = NULL;
    for (int k = 0; k < l->ncuts; k++) {
        const CgCut *c = &l->cuts[k];
        double bytes = sent_by(c);
        int worth = c->inner ? INNER_WORK : BYTE_WORK;
        bool pays = bytes >= 0 && (v->in->blocks || bytes * worth <= v->in->work);
        bool known = cut_groups(c) > 1 && (!c->count || c->inner || v->known || cut_is_first(c));
        known = known && !own_conflicts(v, i, c);
        if (pays && known && (!best || cut_groups(c) > cut_groups(best))) best = c;
    }
    if (best) cut_evenly(d, &d->launches[i], best);
    if (best) d->launches[i].gathered = true;
}

static void forget_cuts(Division *d)
{
    for (int i = 0; i < d->nlaunches; i++) {
        d->launches[i].cut = NULL;
        d->launches[i].gathered = false;
        d->launches[i].own = false;
        d->launches[i].late = false;
    }
}

static bool has_late(const Divide *v)
{
    bool any = false;
    for (int i = 0; i < v->d->nlaunches; i++) any = any || is_late(&v->in->schedule->launches[i]);
    return any;
}

/* All launches, with the result along these dimensions (count 0: whole). */
static bool cut_all(Divide *v, int first, int count)
{
    Division *d = v->d;
    bool any = false;
    v->first = first;
    v->count = count;
    forget_cuts(d);
    v->late = false;
    if (count && !cut_results(v)) { /* the items of those that act again may be others */
        forget_cuts(d);
        v->late = has_late(v);
        if (!v->late || !cut_results(v)) return false;
    }
    for (int i = d->nlaunches; i-- > 0;) { /* what reads temporaries before what makes them */
        if (d->launches[i].cut || takes_out(v, &v->in->schedule->launches[i])) continue;
        if (!own_cut(v, i)) cut_temporaries(v, i);
    }
    for (int i = 0; i < d->nlaunches; i++) {
        any = any || d->launches[i].cut;
        d->launches[i].told = d->launches[i].cut && launch_tells(&v->in->schedule->launches[i]);
    }
    return any;
}

/* ---- which ------------------------------------------------------------------------------------- */

static bool is_in(const FdBox *into, const FdBox *box)
{
    for (int d = 0; d < box->rank && into->rank == box->rank; d++)
        if (box->dim[d].lo < into->dim[d].lo || box->dim[d].hi > into->dim[d].hi) return false;
    return into->rank == box->rank;
}

/* Are these dimensions' combinations rows of the array that the result goes into, one after the other? */
static bool are_rows_of_into(const Divide *v, int first, int count)
{
    for (int d = first + 1; v->in->into && d < first + count; d++)
        if (fd_box_length(&v->box, d) != fd_box_length(v->in->into, d)) return false;
    return true;
}

/* Has no share more than half as much again as is fair? */
static bool is_even(const Division *d, int64_t rows)
{
    for (int s = 0; s < d->n; s++)
        if ((d->own[s + 1] - d->own[s]) * d->n * 2 > rows * 3) return false;
    return true;
}

/* Are there few positions along the dimension (directions of a lattice, channels), beside those of a later one? What reads the
 * array reads all of those, so it is cut elsewhere where nothing else decides. */
static bool has_few(const Divide *v, int first)
{
    enum { FEW = 32 };
    int64_t n = fd_box_length(&v->box, first), most = 0;
    for (int d = first + 1; d < v->box.rank; d++)
        if (fd_box_length(&v->box, d) > most) most = fd_box_length(&v->box, d);
    return n < FEW && most > n;
}

typedef struct Best {
    int first, count;
    bool any, even, few, turns;
    double bytes;
} Best;

static void consider(Divide *v, int first, int count, Best *best)
{
    if (v->in->into && (!count || !are_rows_of_into(v, first, count))) return;
    if (!cut_all(v, first, count)) return;
    needs_find(v);
    double bytes = needs_missing(v);
    bool even = count && is_even(v->d, v->d->own[v->d->n]);
    bool few = count && has_few(v, first), tie = even == best->even && bytes == best->bytes;
    bool turns = rounds_are_in(v->d);
    bool better = !best->any || (count && !best->count) || (even && !best->even) ||
                  (even == best->even && bytes < best->bytes) || (tie && best->few && !few);
    if (tie && count && few == best->few && best->any && best->count)
        better = turns == best->turns ? first < best->first : !turns;
    if (best->any && best->count && !count) better = false;
    if (best->any && best->even && !even) better = false;
    if (better) *best = (Best){first, count, true, even, few, turns, bytes};
}

static bool is_known(const Best *seen, int n, int first, int count)
{
    for (int i = 0; i < n; i++)
        if (seen[i].first == first && seen[i].count == count) return true;
    return false;
}

static Best find_best(Divide *v)
{
    enum { MOST = 8 };
    Best best = {0}, seen[MOST];
    int n = 0;
    consider(v, 0, 0, &best);
    for (int i = 0; v->known && i < v->d->nlaunches; i++) {
        const CgLaunch *l = &v->in->schedule->launches[i];
        for (int k = 0; k < l->ncuts; k++) {
            const CgCut *c = &l->cuts[k];
            if (!c->count || !writes_out(c) || n == MOST || is_known(seen, n, c->first, c->count))
                continue;
            seen[n++] = (Best){.first = c->first, .count = c->count};
            consider(v, c->first, c->count, &best);
        }
    }
    return best;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static Division *new_division(const DivideInput *in)
{
    const FdOrder *o = in->order;
    const int shares = in->shares;
    Division *d = arena_new_of(in->arena, Division);
    *d = (Division){.n = shares,
                    .nlaunches = in->schedule->nlaunches,
                    .nslots = o->nslots,
                    .nouts = in->schedule->nouts};
    d->outs = arena_array(in->arena, const RowsLayout *, d->nouts + 1);
    d->launches = arena_array(in->arena, DividedLaunch, d->nlaunches ? d->nlaunches : 1);
    d->own = arena_array(in->arena, int64_t, shares + 1);
    d->needs = arena_array(in->arena, Need, shares * (o->nslots ? o->nslots : 1));
    d->elements = arena_array(in->arena, const FdType *, o->nslots ? o->nslots : 1);
    d->boxes = arena_array(in->arena, FdBox, o->nslots ? o->nslots : 1);
    for (int i = 0; i < d->nlaunches; i++)
        d->launches[i] = (DividedLaunch){.from = arena_array(in->arena, int64_t, shares),
                                         .to = arena_array(in->arena, int64_t, shares),
                                         .lo = arena_array(in->arena, int64_t, shares),
                                         .hi = arena_array(in->arena, int64_t, shares)};
    for (int k = 0; k < o->nslots; k++) {
        const FdType *t = in->graph->slots[o->slots[k]].type;
        d->elements[k] = t->result;
        d->boxes[k] = in->env->boxes[o->slots[k]];
    }
    return d;
}

/* The results' box: those that are arrays have the same. */
static void find_results(Divide *v)
{
    const FdGraph *g = v->in->graph;
    v->types = arena_array(v->in->arena, const FdType *, v->d->nouts + 1);
    if (g->nresults != v->d->nouts) return;
    bool good = true, first = true;
    for (int k = 0; good && k < g->nresults; k++) {
        const FdNode *root = g->results[k].node;
        FdBox box = {0};
        if (!root->type->result) continue;
        good =
            root->kind == FD_LET && fd_eval_box(v->in->fd, root, v->in->env, &box) == FD_BOUND_OK;
        for (int d = 0; good && d < box.rank; d++)
            good = !box.dim[d].full && box.dim[d].hi > box.dim[d].lo &&
                   (first || (v->box.rank == box.rank && box.dim[d].lo == v->box.dim[d].lo &&
                              box.dim[d].hi == v->box.dim[d].hi));
        v->types[k] = root->type->result;
        v->box = box;
        first = false;
    }
    v->known = good && !first && (!v->in->into || is_in(v->in->into, &v->box));
}

static bool add_layouts(Divide *v, int first, int count)
{
    for (int k = 0; k < v->d->nouts; k++) {
        const FdBox *box = v->in->into ? v->in->into : &v->box;
        RowsLayout *l = v->types[k] ? rows_layout(v->types[k], box, first, count) : NULL;
        if (!v->types[k]) continue;
        if (!l) return false;
        v->d->outs[k] =
            arena_copy(v->in->arena, l, sizeof *l + (size_t)l->nplanes * sizeof l->planes[0]);
        mem_object_free(l);
    }
    if (!v->in->into || !count) return true;
    int64_t at = v->box.dim[first].lo - v->in->into->dim[first].lo;
    for (int d = first + 1; d < first + count; d++) at *= fd_box_length(&v->box, d);
    for (int s = 0; s <= v->d->n; s++) v->d->own[s] += at;
    return true;
}

static uint64_t hash_of(const Division *d, bool divided, uint64_t seed)
{
    XXH64_hash_t h =
        XXH3_64bits_withSeed(d->needs, (size_t)(d->n * d->nslots) * sizeof *d->needs, seed);
    for (int i = 0; i < d->nlaunches; i++)
        for (int k = 0; d->launches[i].cut && k < 4; k++)
            h = XXH3_64bits_withSeed(((const int64_t *[]){d->launches[i].from, d->launches[i].to,
                                                          d->launches[i].lo, d->launches[i].hi})[k],
                                     (size_t)d->n * sizeof(int64_t), h + (unsigned)i);
    if (divided) h = XXH3_64bits_withSeed(d->own, (size_t)(d->n + 1) * sizeof *d->own, h);
    return h | 2;
}

Division *divide(const DivideInput *in)
{
    Divide v = {.in = in, .d = in->room};
    if (!in->schedule->nlaunches) return NULL;
    if (!in->room) v.d = new_division(in);
    memset(v.d->outs, 0, (size_t)v.d->nouts * sizeof *v.d->outs);
    v.d->hash = 0;
    v.reads = arena_array(in->arena, FdFootprint, in->graph->nslots + 1);
    find_results(&v);
    if (in->into && !v.known) return v.d; /* what it does not store is to stay */
    for (int i = 0; !in->room && i < v.d->nlaunches; i++)
        add_inner_cuts(&v, &in->schedule->launches[i]);
    Best best = find_best(&v);
    if (!best.any) return v.d;
    cut_all(&v, best.first, best.count);
    needs_find(&v);
    if (best.count && !add_layouts(&v, best.first, best.count)) return v.d;
    v.d->hash = hash_of(v.d, best.count > 0, in->seed);
    return v.d;
}
