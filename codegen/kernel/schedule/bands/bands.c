/* Bands of rows (bands.h): how far stages reach, and the kernel. */
#include "bands.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../../base/internal.h"
#include "../../../../fdag/index/affine.h"
#include "../../../../fdag/index/inlined.h"
#include "../nest/impl.h"
#include "../schedule.h"

/* ---- reach ------------------------------------------------------------------------------------- */

typedef struct Walk {
    Unit *u;
    const Def *reader, *read;
    int row, dim;
    VEC(const FdNode *) binders;
    BandReach *out;
} Walk;

static const FdDom *range_of(const Walk *w, const FdNode *v)
{
    const FdDom *found = NULL;
    for (size_t i = 0; i < w->binders.len; i++)
        for (int k = 0; k < w->binders.data[i]->nvars; k++) {
            const FdDom *d = &w->binders.data[i]->doms[k];
            if (w->binders.data[i]->vars[k] != v) continue;
            if (found && (found->lo != d->lo || found->hi != d->hi)) return NULL;
            found = d;
        }
    return found;
}

static Num *scaled(Unit *u, Num *x, int64_t factor)
{
    return num_op(u, FD_OP_MUL, x, num_int(u, factor));
}

/* Adds factor * atom to both ends. */
static bool add_atom(Walk *w, const FdNode *atom, int64_t factor, Num **low, Num **high)
{
    Unit *u = w->u;
    Num *first = NULL, *last = NULL;
    if (atom->kind == FD_VAR) {
        const FdDom *d = range_of(w, atom);
        if (!d || !d->lo || !node_is_closed(d->lo) || !node_is_closed(d->hi)) return false;
        first = plan_lo(u, d);
        last = num_op(u, FD_OP_ADD, first, num_op(u, FD_OP_SUB, plan_n(u, d), num_int(u, 1)));
    } else if (is_read(atom)) {
        first = num_elements(u, atom, false);
        last = num_elements(u, atom, true);
    } else {
        first = last = num_of(u, atom);
    }
    if (!first) return false;
    *low = num_op(u, FD_OP_ADD, *low, scaled(u, factor > 0 ? first : last, factor));
    *high = num_op(u, FD_OP_ADD, *high, scaled(u, factor > 0 ? last : first, factor));
    return true;
}

static bool add_read(Walk *w, const FdNode *read)
{
    Unit *u = w->u;
    FdAffine form;
    int64_t factor;
    if (w->row >= w->reader->nvars) return false; /* a scalar: there are no rows */
    const FdNode *row = w->reader->vars[w->row];
    if (!fd_affine(read->args[w->dim], &form) || !fd_affine_factor(&form, row, &factor) ||
        factor != 1)
        return false;
    Num *low = num_int(u, form.constant), *high = low;
    for (int i = 0; i < form.nterms; i++)
        if (form.terms[i].atom != row &&
            !add_atom(w, form.terms[i].atom, form.terms[i].factor, &low, &high))
            return false;
    BandReach *r = w->out;
    r->low = r->reads ? num_op(u, FD_OP_MIN, r->low, low) : low;
    r->high = r->reads ? num_op(u, FD_OP_MAX, r->high, high) : high;
    r->reads++;
    return true;
}

static bool is_of(const Unit *u, const FdNode *array, const Def *d)
{
    return (array->kind == FD_FUNC || array->kind == FD_SCALAR) && array->leaf == FD_LEAF_SLOT &&
           array->slot >= u->ninputs && u->plan_slot[array->slot] == d->temp;
}

bool bands_reach(Unit *u, const Def *reader, int row, const Def *read, int dim, BandReach *out)
{
    Walk w = {.u = u, .reader = reader, .read = read, .row = row, .dim = dim, .out = out};
    VEC(const FdNode *) reads = {0}, stack = {0};
    FdSeen seen = {0};
    bool good = true;
    *out = (BandReach){0};
    vec_push(&stack, reader->body);
    while (stack.len && good) {
        const FdNode *n = stack.data[--stack.len], *children[FD_MAX_CHILDREN];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER || !fd_meet(&seen, n)) continue;
        if (n->nvars) vec_push(&w.binders, n);
        bool applies = n->kind == FD_APPLY && is_of(u, n->fn, read);
        if (applies) vec_push(&reads, n);
        for (int i = fd_children(n, children); i-- > 0;) {
            if (applies && children[i] == n->fn) continue;
            good = good && !is_of(u, children[i], read); /* given whole */
            vec_push(&stack, children[i]);
        }
    }
    for (size_t i = 0; good && i < reads.len; i++) good = add_read(&w, reads.data[i]);
    fd_seen_free(&seen);
    vec_free(&reads);
    vec_free(&stack);
    vec_free(&w.binders);
    return good;
}

/* ---- inlining ---------------------------------------------------------------------------------- */

const FdNode *bands_array(const Unit *u, const Def *reader, const Def *read)
{
    VEC(const FdNode *) stack = {0};
    FdSeen seen = {0};
    const FdNode *found = NULL;
    vec_push(&stack, reader->body);
    while (stack.len && !found) {
        const FdNode *n = stack.data[--stack.len], *children[FD_MAX_CHILDREN];
        if (!fd_meet(&seen, n)) continue;
        if (n->kind == FD_APPLY && is_of(u, n->fn, read)) found = n->fn;
        for (int i = fd_children(n, children); i-- > 0;) vec_push(&stack, children[i]);
    }
    fd_seen_free(&seen);
    vec_free(&stack);
    return found;
}

const Def *bands_inline(Unit *u, const Def *reader, const Def *read)
{
    Def *d = def_form(u, reader);
    d->body = fd_inline_reads(u->fd, d->body, bands_array(u, reader, read), read->node);
    return d;
}

/* ---- layout ------------------------------------------------------------------------------------ */

/* As many as a mask can count; more than fit anywhere if that are many. */
static Num *mask_size(Unit *u, Num *n)
{
    enum { MOST = 64 };
    Num *size = num_int(u, (int64_t)1 << 32);
    for (int64_t most = MOST; most; most /= 2)
        size = num_select(u, num_op(u, FD_OP_LE, n, num_int(u, most)), num_int(u, most), size);
    return size;
}

bool bands_layout(Unit *u, Bands *b)
{
    Num *zero = num_int(u, 0), *one = num_int(u, 1);
    for (int p = b->n; p-- > 0;) {
        BandStage *s = &b->stages[p];
        Num *oldest = NULL;
        s->low = s->high = s->ahead = zero;
        s->keeps = one;
        for (int c = 0; c < b->n; c++) {
            const BandStage *by = &b->stages[c];
            BandReach r = {0};
            if (p == b->n - 1 || s->def->copy) continue;
            if (!bands_reach(u, by->def, by->dim, s->def, s->dim, &r)) return false;
            if (!r.reads) continue;
            if (c <= p) return false;
            Num *low = num_op(u, FD_OP_ADD, by->low, r.low),
                *high = num_op(u, FD_OP_ADD, by->high, r.high),
                *last = num_op(u, FD_OP_ADD, by->ahead, r.high),
                *first = num_op(u, FD_OP_ADD, by->ahead, r.low);
            s->low = oldest ? num_op(u, FD_OP_MIN, s->low, low) : low;
            s->high = oldest ? num_op(u, FD_OP_MAX, s->high, high) : high;
            s->ahead = oldest ? num_op(u, FD_OP_MAX, s->ahead, last) : last;
            oldest = oldest ? num_op(u, FD_OP_MIN, oldest, first) : first;
        }
        if (oldest && !s->inlined)
            s->keeps =
                mask_size(u, num_op(u, FD_OP_ADD, num_op(u, FD_OP_SUB, s->ahead, oldest), one));
        if (!oldest && p < b->n - 1 && !s->def->copy) return false; /* for nobody */
    }
    return true;
}

Num *bands_row(Unit *u, const BandStage *s)
{
    Num *all = num_int(u, 1);
    for (int i = 0; i < s->def->nvars; i++)
        if (i != s->dim) all = num_op(u, FD_OP_MUL, all, plan_n(u, &s->def->doms[i]));
    return all;
}

static const BandStage *result_of(const Bands *b)
{
    return &b->stages[b->n - 1];
}

static Num *rows_of(Unit *u, const BandStage *s)
{
    return plan_n(u, &s->def->doms[s->dim]);
}

Num *bands_halo(Unit *u, const Bands *b)
{
    Num *most = num_int(u, 0);
    for (int i = 0; i < b->n; i++)
        most =
            num_op(u, FD_OP_MAX, most, num_op(u, FD_OP_SUB, b->stages[i].high, b->stages[i].low));
    return most;
}

Num *bands_count(Unit *u, const Bands *b)
{
    return num_ceildiv(u, rows_of(u, result_of(b)), b->each);
}

/* ---- legality ---------------------------------------------------------------------------------- */

const char *bands_verify(Unit *u, Bands *b)
{
    if (b->n < 2) return "bands are of several stages";
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        bool last = i == b->n - 1 || s->def->copy;
        const NestStep *rows = s->nest ? s->nest->root.first : NULL;
        if (s->inlined && i < b->n - 1 && s->temp >= 0) continue;
        if (!rows || rows->next || rows->kind != NEST_FOR || rows->bind != NEST_GROUP ||
            !num_is(rows->step, 1) || nest_find_loop(rows->first, NEST_GROUP) ||
            nest_find_loop(rows->first, NEST_ITEM))
            return "a stage is one group over its rows, one by one";
        const NestAxis *x = &s->nest->axes[rows->axis];
        if (x->nvars != 1 || x->vars[0] != s->def->vars[s->dim] || x->from || x->to || !x->n)
            return "rows are of one variable, whose range is known before";
        if (s->nest->def != s->def || s->nest->inside || s->nest->again || s->nest->nholds ||
            s->nest->part.naxes || s->nest->keys.axis >= 0 || s->nest->checks == GEN_NOTED)
            return "a stage gives one value after the other";
        if (!last && (s->def->temp < 0 || s->temp < 0 || s->def->body->type->record))
            return "rows of scalars are kept";
        if (last && s->temp >= 0) return "the last stage is stored whole";
    }
    if (!bands_layout(u, b)) return "stages read each other by rows, earlier ones only";
    return bands_verify_shared(u, b);
}

/* ---- the kernel -------------------------------------------------------------------------------- */

typedef struct Kernel {
    Unit *u;
    Arena *a;
    Gen g;
    const Bands *b;
    const KirExpr *begin, *end; /* of the band */
} Kernel;

static const KirExpr *number(Kernel *k, const char *name, Num *x)
{
    return gen_number(&k->g, num_name(x) ? num_name(x) : name, x);
}

static const KirExpr *plus(Kernel *k, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(k->a, FD_OP_ADD, x, y);
}

/* Where the row of the result that is counted from 0 is in the range of the stage. */
static Num *shift_of(Unit *u, const Bands *b, const BandStage *s)
{
    const BandStage *last = result_of(b);
    return num_op(u, FD_OP_SUB, plan_lo(u, &last->def->doms[last->dim]),
                  plan_lo(u, &s->def->doms[s->dim]));
}

/* The rows of a stage that the band needs and that there are. */
static void rows_needed(Kernel *k, const BandStage *s, const KirExpr **first, const KirExpr **past)
{
    Unit *u = k->u;
    Num *shift = shift_of(u, k->b, s);
    *first = plus(k, k->begin, number(k, "low", num_op(u, FD_OP_ADD, shift, s->low)));
    *past = plus(k, k->end, number(k, "high", num_op(u, FD_OP_ADD, shift, s->high)));
    if (s == result_of(k->b)) return;
    *first = gen_variable(&k->g, "first", kir_max(k->a, *first, kir_int(k->a, 0)));
    *past = gen_variable(&k->g, "past", kir_min(k->a, *past, number(k, "n_rows", rows_of(u, s))));
}

void bands_turn_to(Unit *u, const Def *d)
{
    u->def = d;
}

static const KirExpr *place_of(Kernel *k, const BandStage *s, const KirExpr *row)
{
    Num *way = num_op(k->u, FD_OP_ADD, shift_of(k->u, k->b, s), s->ahead);
    return gen_variable(&k->g, "at", plus(k, row, number(k, "way", way)));
}

static void stage(Kernel *k, const BandStage *s, const KirExpr *at, const KirExpr *first,
                  const KirExpr *past)
{
    Unit *u = k->u;
    KirBlock body = {0};
    const KirExpr *needed = kir_arith(k->a, FD_OP_GE, at, first);
    if (s != result_of(k->b))
        needed = kir_arith(k->a, FD_OP_LAND, needed, kir_arith(k->a, FD_OP_LT, at, past));
    bands_turn_to(u, s->def);
    GenScope scope = gen_enter(&k->g, &body);
    nest_lower_row(u, &k->g, s->nest, at);
    gen_leave(&k->g, scope);
    kir_if(k->a, k->g.block, needed, body, NULL);
}

/* The memory of a work-item: ring number `level` of those that stages share. */
static UnitRing ring(Kernel *k, const BandStage *s, const KirExpr *turn, int shared, int level)
{
    Num *size = num_op(k->u, FD_OP_MUL, s->keeps, bands_row(k->u, s));
    Num *all = num_op(k->u, FD_OP_MUL, size, num_int(k->u, shared));
    const KirExpr *slab = kir_arith(k->a, FD_OP_MUL, turn, number(k, "ring", all));
    Num *before = num_op(k->u, FD_OP_MUL, size, num_int(k->u, level));
    if (level) slab = plus(k, slab, number(k, "before", before));
    return (UnitRing){s->def->temp, s->temp, s->dim, s->keeps, gen_variable(&k->g, "slab", slab)};
}

/* x + level * (how much more it is one stage later). */
static const KirExpr *at_level(Kernel *k, const KirExpr *x, const KirExpr *level, const char *name,
                               Num *here, Num *next)
{
    Num *more = num_op(k->u, FD_OP_SUB, next, here);
    return plus(k, x, kir_arith(k->a, FD_OP_MUL, level, number(k, name, more)));
}

/* Stages i + 1 to i + n - 1, which are alike, at a row; rings are those of their stages. */
static void alike(Kernel *k, int i, int n, const KirExpr *row, UnitRing *rings)
{
    Unit *u = k->u;
    Arena *a = k->a;
    const BandStage *s = &k->b->stages[i + 1], *next = s + 1;
    const KirExpr *level = kir_name(a, kir_type(KIR_IDX, 1), fresh_name(u, "level"));
    const UnitRing from = rings[i], to = rings[i + 1];
    KirBlock body = {0};
    GenScope scope = gen_enter(&k->g, &body);
    Num *size = num_op(u, FD_OP_MUL, s->keeps, bands_row(u, s)), *shift = shift_of(u, k->b, s);
    const KirExpr *slab =
        plus(k, from.slab, kir_arith(a, FD_OP_MUL, level, number(k, "ring", size)));
    rings[i].slab = gen_variable(&k->g, "slab", slab);
    rings[i + 1].slab =
        gen_variable(&k->g, "slab", plus(k, rings[i].slab, number(k, "ring", size)));
    const KirExpr *first = plus(k, k->begin, number(k, "low", num_op(u, FD_OP_ADD, shift, s->low)));
    const KirExpr *past = plus(k, k->end, number(k, "high", num_op(u, FD_OP_ADD, shift, s->high)));
    first = at_level(k, first, level, "lower", s->low, next->low);
    past = at_level(k, past, level, "higher", s->high, next->high);
    first = gen_variable(&k->g, "first", kir_max(a, first, kir_int(a, 0)));
    past = gen_variable(&k->g, "past", kir_min(a, past, number(k, "n_rows", rows_of(u, s))));
    const KirExpr *at = at_level(k, place_of(k, s, row), level, "later", s->ahead, next->ahead);
    stage(k, s, gen_variable(&k->g, "at", at), first, past);
    gen_leave(&k->g, scope);
    kir_for(a, k->g.block, level->name, kir_int(a, 0), kir_int(a, n - 1), kir_int(a, 1), false,
            body);
    rings[i] = from;
    rings[i + 1] = to;
}

static void print(Unit *u, const Bands *b, Text *out)
{
    text_printf(out, "bands %s", b->name);
    if (b->when && !num_is(b->when, 1)) text_printf(out, " when %s", num_text(u, b->when));
    text_printf(out, " by %s\n", num_text(u, b->each));
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        if (s->def->temp < 0)
            text_add(out, "rows result\n");
        else if (s->def->copy)
            text_printf(out, "rows temp %d as result\n", s->def->temp);
        else if (i == b->n - 1)
            text_printf(out, "rows temp %d\n", s->def->temp);
        else if (s->inlined)
            text_printf(out, "rows temp %d in temp %d inlined dim %d\n", s->def->temp, s->temp,
                        s->dim);
        else
            text_printf(out,
                        "# rows %s to %s around those of the result, %s ahead, %s kept\nrows temp "
                        "%d in temp %d\n",
                        num_text(u, s->low), num_text(u, s->high), num_text(u, s->ahead),
                        num_text(u, s->keeps), s->def->temp, s->temp);
        if (s->inlined) continue;
        bands_turn_to(u, s->def);
        nest_print(u, s->nest, out);
    }
    text_add(out, "end bands\n");
}

static void check(Unit *u, Bands *b)
{
    const char *why = bands_verify(u, b);
    for (int i = 0; i < b->n && !why; i++) {
        if (b->stages[i].inlined) continue;
        bands_turn_to(u, b->stages[i].def);
        why = nest_verify(u, b->stages[i].nest);
    }
    if (!why || u->host_only) return;
    internal_error(arena_printf(u->arena, "bands %s", b->name), why);
}

void bands_lower(Unit *u, Bands *b)
{
    KirBlock body = {0}, turn = {0};
    Text text = {0};
    UnitRing rings[BANDS_STAGES];
    int begins = 0, shared = bands_shared(b, 0);
    const KirExpr *first[BANDS_STAGES], *past[BANDS_STAGES];
    check(u, b);
    for (int i = 0; i < b->n; i++)
        if (b->stages[i].def->of) unit_count(u, b->stages[i].def->body);
    Kernel k = {.u = u, .a = u->arena, .g = gen_begin(u, b->name, &body), .b = b};
    Gen *g = &k.g;
    Num *rows = rows_of(u, result_of(b)), *before = num_int(u, 0);
    const KirExpr *band = gen_variable(g, "band", gen_global_id(g, 0)),
                  *each = number(&k, "each", b->each);
    k.begin = gen_variable(g, "begin", kir_arith(k.a, FD_OP_MUL, band, each));
    k.end =
        gen_variable(g, "end", kir_min(k.a, plus(&k, k.begin, each), number(&k, "n_rows", rows)));
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        before = num_op(u, FD_OP_MAX, before, num_op(u, FD_OP_SUB, s->ahead, s->low));
        rings[i] = (UnitRing){.of = -1};
        if (i == begins + shared) begins = i, shared = bands_shared(b, i);
        if (i == begins) rows_needed(&k, s, &first[i], &past[i]);
        if (s->temp >= 0) rings[i] = ring(&k, s, band, shared, i - begins);
    }
    g->rings = rings;
    g->nrings = b->n;
    const KirExpr *from = kir_arith(k.a, FD_OP_SUB, k.begin, number(&k, "before", before)),
                  *row = kir_name(k.a, kir_type(KIR_IDX, 1), fresh_name(u, "row"));
    GenScope scope = gen_enter(g, &turn);
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        int n = bands_shared(b, i);
        if (!s->inlined) stage(&k, s, place_of(&k, s, row), first[i], past[i]);
        if (n > 1) alike(&k, i, n, row, rings);
        i += n - 1;
    }
    gen_leave(g, scope);
    kir_for(k.a, g->block, row->name, from, k.end, kir_int(k.a, 1), false, turn);
    if (u->schedule) print(u, b, &text);
    g->quiet = num_truth(u, true);
    for (int i = 0; i < b->n; i++)
        g->quiet = num_and(u, g->quiet, def_quiet(u, def_given(b->stages[i].def)));
    Num *one = num_int(u, 1), *global[] = {bands_count(u, b), one, one}, *local[] = {one, one, one};
    gen_run(g, b->when, 1, global, local);
    if (u->schedule) nest_replace_run(u->schedule, &text);
    text_free(&text);
    gen_end(g, &body);
}
