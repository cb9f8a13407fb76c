/* Bands of rows: temporaries that are read by rows are computed as the rows of the result need them,
 * and kept for as long (bands/bands.h): separable filters, sweeps of sweeps, rows divided by what they
 * come to, values of one place that several elements share.
 *
 *   before   temp 0 = let(y, x) sum(q, f(q, y, x)), then the result over (q, y, x)
 *   after    for each row y of a band: temp 0 at y, then the result at y for all q
 *
 * CPU only. Needs: closed ranges, reads of temporaries at row + number, nothing in a temporary that
 * can fail: guards must keep reads inside, by the numbers. Pays where a temporary would go through memory and its rows stay in the cache, unless the
 * definition has a form with tiles of its own. Keeps: the order of operations within an element. */
#include "../../../../fdag/index/inlined.h"
#include "recipe.h"

enum { LONGEST = 64 }; /* reductions of an element, in lanes of others */

typedef struct Choice {
    bool in;
    int dim;
} Choice;

typedef struct Find {
    Unit *u;
    int n, result;
    const Def *defs;
    Choice choices[BANDS_STAGES];
    bool sums; /* of rows of several dimensions: the innermost is the one of which least is kept */
} Find;

/* ---- what can be a stage ------------------------------------------------------------------------ */

static bool is_long(const void *ctx, const FdNode *n)
{
    const Unit *u = ctx;
    if (n->kind != FD_REDUCE) return false;
    if (!reduction_is_closed(n)) return true;
    Num *length = recipe_length((Unit *)(uintptr_t)u, n);
    return fd_is_const(length) && length->value.i > LONGEST;
}

/* Does the plan report that it is empty? As what is computed in any case is. */
static bool is_reported(const Def *d, const FdNode *reduce)
{
    const FdNode *made[NEST_RESULTS];
    bool reported = false;
    for (int i = fd_reductions(d->body, made); i-- > 0;) reported = reported || made[i] == reduce;
    return reported && reduction_is_closed(reduce);
}

static bool may_be_empty(const void *d, const FdNode *n)
{
    return fd_does(n) & FD_EMPTY && !is_reported(d, n);
}

static bool is_stage(Unit *u, const Def *d, int dim, bool result)
{
    FdContraction c;
    bool line = d->nvars == 1 || recipe_is_reduced_row(u, d);
    if (d->node->self || dim >= d->nvars || (!line && dim == d->nvars - 1)) return false;
    for (int i = 0; i < d->nvars; i++)
        if (!d->doms[i].lo || !node_is_closed(d->doms[i].lo) || !node_is_closed(d->doms[i].hi))
            return false;
    if (fd_any(d->body, calls_reader, NULL) || contraction_find(u, d, &c) || recipe_is_by_key(u, d))
        return false;
    bool fails =
        fd_can_fail(d->body) || fd_any(d->body, may_be_empty, d) || num_is(plan_fails(u, d), 1);
    if (!result && fails) return false;
    if (!line && fd_any(d->body, is_long, u)) return false;
    return recipe_is_row(u, d, dim);
}

static BandStage stage_of(const Def *d, int dim)
{
    return (BandStage){.def = d, .dim = dim, .temp = -1};
}

/* ---- which are --------------------------------------------------------------------------------- */

/* A result of a graph of steps that no other step reads goes along with the result that bands are of. */
static bool goes_along(const Find *f, int p, int dim)
{
    const Def *d = &f->defs[p], *last = &f->defs[f->result];
    return f->u->steps && unit_kept(f->u, d->temp) && d->nvars == last->nvars &&
           dim == f->choices[f->result].dim;
}

/* The dimension of definition p that all who read it go along with; -1: they do not. */
static int dim_of(const Find *f, int p)
{
    const Def *d = &f->defs[p];
    for (int dim = 0; dim < d->nvars; dim++) {
        bool all = true, any = goes_along(f, p, dim);
        for (int c = 0; c < f->n && all; c++) {
            NestReach r = {0};
            const Choice *by = &f->choices[c];
            const BandStage reader = stage_of(&f->defs[c], by->in ? by->dim : 0),
                            read = stage_of(d, dim);
            all = bands_reach(f->u, &reader, &read, &r);
            all = all && ((!r.reads && !r.nfixed) || (by->in && c > p));
            any = any || r.reads;
        }
        if (all && any && is_stage(f->u, d, dim, false)) return dim;
    }
    return -1;
}

/* The stages if the result's rows are those of dimension dim; how many. 0: none, or rows are all of one element, and
 * lanes go along the result. */
static int choose(Find *f, int dim)
{
    const Def *result = &f->defs[f->result];
    int count = 1, most = result->nvars;
    f->sums = false;
    for (int i = 0; i < f->n; i++) f->choices[i] = (Choice){0};
    f->choices[f->result] = (Choice){true, dim};
    if (!is_stage(f->u, result, dim, true)) return 0;
    for (int p = f->result; p-- > 0;) {
        int at = dim_of(f, p);
        f->choices[p] = (Choice){at >= 0, at};
        count += at >= 0;
        f->sums = f->sums ||
                  (at >= 0 && f->defs[p].nvars > 1 && recipe_is_reduced_row(f->u, &f->defs[p]));
        if (at >= 0 && f->defs[p].nvars > most) most = f->defs[p].nvars;
    }
    bool along = most == 1 && lanes_possible(result->body, result->vars[0], recipe_allowed(result));
    return count > 1 && !along ? count : 0;
}

/* ---- does it pay? ------------------------------------------------------------------------------- */

/* Does a stage, all of which is wanted, have no other rows than those that bands are of? */
static Num *has_rows(Unit *u, const BandStage *s, const BandStage *last)
{
    const FdDom *a = &s->def->doms[s->dim], *b = &last->def->doms[last->dim];
    Num *lo = plan_lo(u, a), *other = plan_lo(u, b);
    if (plan_n(u, a) == plan_n(u, b)) return num_op(u, FD_OP_EQ, lo, other);
    Num *end = num_op(u, FD_OP_ADD, lo, plan_n(u, a)),
        *last_end = num_op(u, FD_OP_ADD, other, plan_n(u, b));
    return num_and(u, num_op(u, FD_OP_GE, lo, other), num_op(u, FD_OP_LE, end, last_end));
}

/* Rows that a unit takes alone, rather than share them. */
static Num *few_rows(Unit *u, const BandStage *last)
{
    Num *row = num_op(u, FD_OP_MAX, bands_row(u, last), num_int(u, 1));
    return num_op(u, FD_OP_DIV, draw_num(u, P_BANDS_FEW, 2048), row);
}

/* A few turns of arrays that go through memory otherwise are worth it in the cache that units share, too. */
static Num *fit_together(Unit *u, const Bands *b, Num *bytes)
{
    enum { FEW = 2, MEMORY = 16 << 20 }; /* arrays of so many bytes come from memory, or nearly */
    const Def *result = b->stages[b->n - 1].def;
    Num *two = num_int(u, 2), *l3 = num_fact(u, NUM_L3), *units = num_fact(u, NUM_UNITS);
    Num *all = plan_bytes(u, result->body->type, plan_elements(u, result->nvars, result->doms));
    Num *large = num_op(u, FD_OP_GT, num_op(u, FD_OP_MUL, all, two),
                        num_op(u, FD_OP_MIN, l3, num_int(u, MEMORY)));
    Num *share = num_op(u, FD_OP_MUL, bytes, units);
    return num_and(u, num_op(u, FD_OP_LE, b->turns.count, num_int(u, FEW)),
                   num_and(u, large, num_op(u, FD_OP_LE, share, l3)));
}

/* All that is kept stays in the cache, there is work for every unit or little for all, and nothing can be
 * outside. *usual: nothing else can be in the way but what would fail. */
static Num *applies(Unit *u, const Bands *b, bool *usual)
{
    const BandStage *last = &b->stages[b->n - 1];
    Num *all = num_truth(u, true), *bytes = num_int(u, 0), *pays = all;
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        Num *kept = plan_bytes(u, s->def->body->type, bands_kept(u, b, i, 1));
        if (!s->inlined && !bands_is_turn(b, i)) /* else it shares the first turn's */
            bytes = num_op(u, FD_OP_ADD, bytes, kept);
        if (!recipe_is_guarded(u, s->def))
            all = num_and(u, all, num_not(u, def_unsafe(u, s->def)));
        else if (i < b->n - 1)
            pays = num_and(u, pays, num_not(u, plan_fails(u, s->def)));
        if (!s->inlined) pays = num_and(u, pays, recipe_row_pays(u, s->def, s->dim));
        if (s->def->copy) pays = num_and(u, pays, has_rows(u, s, last));
    }
    if (b->turns.count) pays = num_and(u, pays, b->turns.when);
    pays = num_and(u, pays, b->round);
    *usual = num_is(pays, 1);
    all = num_and(u, all, pays);
    Num *rows = plan_n(u, &last->def->doms[last->dim]);
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), draw_num(u, P_BANDS_LEAST, 2));
    Num *fits = num_op(u, FD_OP_LE, bytes, num_fact(u, NUM_CACHE));
    if (b->turns.count) fits = num_op(u, FD_OP_LOR, fits, fit_together(u, b, bytes));
    all = num_and(u, all, fits);
    Num *few = num_op(u, FD_OP_LE, rows, num_op(u, FD_OP_MUL, few_rows(u, last), num_int(u, 8)));
    return num_and(u, all, num_op(u, FD_OP_LOR, num_op(u, FD_OP_GE, rows, units), few));
}

/* Rows of a band: several bands for each unit, unless most of their work would be done twice. */
static Num *rows_each(Unit *u, const Bands *b)
{
    const BandStage *last = &b->stages[b->n - 1];
    Num *rows = plan_n(u, &last->def->doms[last->dim]), *units = num_fact(u, NUM_UNITS);
    Num *few = num_ceildiv(u, rows, num_op(u, FD_OP_MUL, units, draw_num(u, P_BANDS_ITEMS, 4)));
    Num *wide = num_op(u, FD_OP_MUL, bands_halo(u, b), draw_num(u, P_BANDS_HALO, 8));
    Num *share = num_op(u, FD_OP_MAX, num_ceildiv(u, rows, units), few_rows(u, last));
    wide = num_op(u, FD_OP_MIN, wide, share);
    Num *each = num_op(u, FD_OP_MAX, num_op(u, FD_OP_MAX, few, wide), num_int(u, 1));
    /* as many for each unit: fewer that are longer, since the units wait for the last */
    Num *bands = num_ceildiv(u, rows, each), *rounds = num_op(u, FD_OP_DIV, bands, units);
    Num *even = num_ceildiv(u, rows, num_op(u, FD_OP_MUL, rounds, units));
    return num_select(u, num_op(u, FD_OP_GT, bands, units), even, each);
}

/* ---- what is inlined ----------------------------------------------------------------------------- */

static bool count(const void *ctx, const FdNode *n)
{
    (void)n;
    ++**(int *const *)ctx;
    return false;
}

static int nodes_of(const FdNode *n)
{
    int nodes = 0, *to = &nodes;
    fd_any(n, count, &to);
    return nodes;
}

/* Does nobody but the result read stage p, and it at most one element for each of its own? */
static bool is_read_once(Unit *u, const Bands *b, int p)
{
    enum { PLACES = 4, NODES = 256 };
    const BandStage *s = &b->stages[p], *last = &b->stages[b->n - 1];
    const FdNode *array = bands_array(u, last->def, s->def);
    for (int c = p + 1; c < b->n - 1; c++)
        if (!b->stages[c].inlined && bands_array(u, b->stages[c].def, s->def)) return false;
    if (!array || s->def->nvars != s->def->node->nvars || s->def->body->type->record ||
        fd_effects(s->def->body) & FD_REDUCES)
        return false;
    int places = fd_reads_once(last->def->body, last->def->nvars, last->def->vars, array);
    return places && places <= PLACES && nodes_of(s->def->body) * places <= NODES;
}

/* What is read once an element is computed there, not kept: it would go through the cache, and the
 * result would be nothing but a copy. */
static void inline_stages(Unit *u, Bands *b)
{
    BandStage *last = &b->stages[b->n - 1];
    for (int p = b->n - 1; p-- > 0;) {
        if (!is_read_once(u, b, p) || !draw_bool(u, P_BANDS_INLINE, true)) continue;
        const Def *d = bands_inline(u, last->def, b->stages[p].def);
        if (!recipe_is_row(u, d, last->dim)) continue;
        last->def = d;
        b->stages[p].inlined = true;
    }
}

/* An array and a scalar that is made of it are evaluated together for this form alone. */
static bool is_all_there_is(const Unit *u)
{
    bool scalar = false;
    for (int k = 0; k < u->g->nresults; k++)
        scalar = scalar || u->g->results[k].node->kind != FD_LET;
    return scalar && u->g->nresults > 1;
}

Bands *recipe_bands(Unit *u, int n, const Def *defs, int at)
{
    Find f = {.u = u, .n = n, .result = at, .defs = defs};
    const Def *result = &defs[at];
    int best = 0, most = 0;
    if (u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO) return NULL;
    if (at == 0 || n > BANDS_STAGES) return NULL;
    for (int dim = 0; dim == 0 || dim < result->nvars - 1; dim++) {
        int count = choose(&f, dim);
        if (count > most || (count && count == most && f.sums)) most = count, best = dim;
    }
    if (!most) return NULL;
    choose(&f, best);
    Bands *b = arena_new_of(u->arena, Bands);
    b->name = "bands";
    for (int i = 0; i < n; i++) {
        if (!f.choices[i].in) continue;
        if (b->n + 2 > BANDS_STAGES) return NULL;
        b->stages[b->n++] = stage_of(&defs[i], f.choices[i].dim);
        if (i == at || !unit_kept(u, defs[i].temp)) continue;
        b->stages[b->n++] = stage_of(def_copy(u, &defs[i]), f.choices[i].dim);
    }
    if (!bands_find_turns(u, b)) return NULL;
    if (b->stages[b->n - 1].def->temp < 0 && !b->turns.count) inline_stages(u, b);
    if (!bands_layout(u, b)) return NULL;
    bool usual;
    b->when = applies(u, b, &usual);
    if (num_is(b->when, 0)) return NULL;
    b->when = num_let(u, "bands", b->when);
    if (usual || is_all_there_is(u)) num_guess(u, b->when, true);
    return b;
}

/* How many rows further on the last stage asks for what it reads, so that the stages before it find it in
 * the cache: those that are read ahead, and one more. Where a row has parts of several planes these are
 * more streams than processors follow. NULL: it does not. */
static Num *ahead_of(Unit *u, const Bands *b, int i)
{
    Num *rows = NULL;
    if (i < b->n - 1 || b->stages[i].dim == 0 || !draw_bool(u, P_BANDS_AHEAD, true)) return NULL;
    for (int p = 0; p < i; p++) {
        const BandStage *s = &b->stages[p];
        Num *reach = num_op(u, FD_OP_ADD, num_op(u, FD_OP_SUB, s->ahead, s->low), num_int(u, 1));
        rows = rows ? num_op(u, FD_OP_MAX, rows, reach) : reach;
    }
    return num_let(u, "ahead", rows);
}

void recipe_lower_bands(Unit *u, Bands *b)
{
    b->each = num_let(u, "each", rows_each(u, b));
    Num *bands = num_let(u, "parts", bands_count(u, b));
    for (int i = 0, n; i < b->n; i += n) {
        BandStage *s = &b->stages[i];
        bool kept = i < b->n - 1 && !s->def->copy;
        n = kept && !b->turns.count ? bands_alike(u, b, i) : 1;
        Num *bytes =
            plan_bytes(u, s->def->body->type, num_op(u, FD_OP_MUL, bands, bands_kept(u, b, i, n)));
        if (bands_is_turn(b, i))
            s->temp = s[-b->turns.period].temp;
        else if (kept)
            s->temp = plan_temp(u, num_select(u, b->when, bytes, num_int(u, 0)));
        for (int k = 1; k < n; k++) s[k].temp = s->temp;
    }
    for (int i = 0; i < b->n; i++) {
        BandStage *s = &b->stages[i];
        if (!s->inlined) s->nest = recipe_row(u, s->def, s->dim, ahead_of(u, b, i));
    }
    bands_lower(u, b);
}
