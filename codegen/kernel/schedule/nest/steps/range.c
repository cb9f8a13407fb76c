/* Ranges that are known in the kernel only, since they depend on variables around or on elements of
 * arrays:
 *
 *   y(i) = sum(k : row(i)..row(i + 1), val(k) * x(col(k)))
 *
 * The bounds are worked out once. Where the nest notes what fails, so is whether reads that move by
 * one with the variable stay inside: of val(k) nothing is asked inside of the loop. What col(k) says is
 * looked at before it, in vectors, so that of x(col(k)) nothing is asked there either. */
#include "../../../../../fdag/index/affine.h"
#include "../impl.h"

/* A read at an element of an array. */
typedef struct Named {
    const FdNode *read, *element;
    int dim;
} Named;

enum { MOST_NAMED = 4 };

typedef struct Hoist {
    Lower *l;
    const NestAxis *axis;
    FdSeen seen;
    const KirExpr *n, *leaves; /* leaves: some read does; NULL: none found yet */
    Named named[MOST_NAMED];
    int nnamed;
} Hoist;

/* Is it a variable other than those bound around and the axis' own? */
static bool varies(const void *ctx, const FdNode *n)
{
    const Hoist *h = ctx;
    const Def *d = h->l->n->def;
    if (n->kind != FD_VAR || n == h->axis->vars[0]) return false;
    for (int i = 0; i < d->nvars; i++)
        if (d->vars[i] == n) return false;
    return true;
}

/* An element of an array of ints, at the axis' variable itself. */
static bool is_named(const Hoist *h, const FdNode *index)
{
    return is_read(index) && index->fn->kind == FD_FUNC && index->nargs == 1 &&
           index->args[0] == h->axis->vars[0] && result_kind(index) == SC_INT;
}

static void hoist_read(Hoist *h, const FdNode *read)
{
    Gen *g = &h->l->g;
    const FdNode *v = h->axis->vars[0];
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t factor;
        if (is_named(h, read->args[d]) && h->nnamed < MOST_NAMED)
            h->named[h->nnamed++] = (Named){read, read->args[d], d};
        bool unit = fd_uses_var(read->args[d], v) && fd_affine(read->args[d], &index) &&
                    fd_affine_factor(&index, v, &factor) && factor == 1;
        if (!unit || fd_any(read->args[d], varies, h)) continue;
        const KirExpr *leaves = gen_variable(g, "leaves", gen_leaves(g, read, d, h->n));
        h->leaves = h->leaves ? nest_op(h->l, FD_OP_LOR, h->leaves, leaves) : leaves;
        vec_push(&g->proved, ((struct PlanSuspect){read, d}));
    }
}

/* Reads that each turn makes. */
static void hoist_reads(Hoist *h, const FdNode *n)
{
    if (n->kind != FD_APPLY || !fd_meet(&h->seen, n)) return;
    if (is_read(n) && gen_is_suspect(&h->l->g, n)) hoist_read(h, n);
    for (int i = 0; i < n->nargs; i++)
        if (!fd_is_lazy(n, i)) hoist_reads(h, n->args[i]);
}

/* What fails is noted, and then nothing of the range is computed. */
static void leave_out(Hoist *h, const KirExpr *fails)
{
    Gen *g = &h->l->g;
    Arena *a = h->l->a;
    KirBlock none = {0};
    gen_note(g, kir_convert(a, kir_type(SC_BOOL, 1), fails));
    kir_set(a, &none, h->n, kir_int(a, 0));
    kir_if(a, g->block, fails, none, NULL);
}

/* ---- elements that say where others are ---------------------------------------------------------- */

/* In lanes: the vector from `at` on, of which those before position `n` count; bad = bad || one of them is outside. */
static void look(Hoist *h, const Named *x, const KirExpr *lo, const KirExpr *at, const KirExpr *bad)
{
    Lower *l = h->l;
    Gen *g = &l->g;
    Arena *a = l->a;
    const FdNode *v = h->axis->vars[0], *lane = g->lane_var;
    KirType ints = kir_type(SC_INT, g->lanes), mask = kir_type(SC_BOOL, g->lanes);
    gen_bind(g, v, at);
    g->lane_var = v;
    const KirExpr *outside = gen_beyonds(g, x->read, x->dim);
    g->lane_var = lane;
    const KirExpr *way = kir_convert(a, kir_type(SC_INT, 1), nest_op(l, FD_OP_SUB, at, lo)),
                  *last = kir_convert(a, kir_type(SC_INT, 1),
                                      nest_op(l, FD_OP_SUB, h->n, kir_int(a, 1)));
    const KirExpr *from[] = {kir_splat(a, g->lanes, way), kir_iota(a, ints)};
    const KirExpr *in[] = {kir_op(a, FD_OP_ADD, ints, 2, from), kir_splat(a, g->lanes, last)};
    const KirExpr *other = kir_intrinsic(a, mask, INTR_BEYONDS, in);
    const KirExpr *both[] = {outside, kir_op(a, FD_OP_LNOT, mask, 1, &other)};
    const KirExpr *either[] = {bad, kir_op(a, FD_OP_LAND, mask, 2, both)};
    kir_set(a, g->block, bad, kir_op(a, FD_OP_LOR, mask, 2, either));
}

/* Whole vectors, of which the last ends with the array: what lies behind the range does not count. */
static KirBlock by_vectors(Hoist *h, const Named *x, const KirExpr *lo, const KirExpr *end,
                           const KirExpr *fails)
{
    Lower *l = h->l;
    Gen *g = &l->g;
    Arena *a = l->a;
    KirBlock all = {0}, body = {0};
    KirType mask = kir_type(SC_BOOL, g->lanes);
    const KirExpr *bad = kir_name(a, mask, fresh_name(l->u, "bad")),
                  *from = kir_name(a, lo->type, gen_var_name(g, h->axis->vars[0])),
                  *none = kir_const(a, SC_BOOL, (ScalarValue){.i = 0});
    GenScope scope = gen_enter(g, &all);
    kir_decl(a, &all, mask, bad->name, kir_splat(a, g->lanes, none));
    GenScope in = gen_enter(g, &body);
    look(h, x, lo, gen_variable(g, "at", kir_min(a, from, end)), bad);
    gen_leave(g, in);
    kir_for(a, &all, from->name, lo, nest_add(l, lo, h->n), nest_lanes_number(l), false, body);
    kir_set(a, &all, fails, kir_any(a, bad));
    gen_leave(g, scope);
    return all;
}

static KirBlock one_by_one(Hoist *h, const Named *x, const KirExpr *lo, const KirExpr *fails)
{
    Lower *l = h->l;
    Gen *g = &l->g;
    KirBlock all = {0}, body = {0};
    const KirExpr *at = kir_name(l->a, lo->type, gen_var_name(g, h->axis->vars[0]));
    GenScope scope = gen_enter(g, &body);
    gen_bind(g, h->axis->vars[0], at);
    const KirExpr *either[] = {fails, gen_beyonds(g, x->read, x->dim)};
    kir_set(l->a, &body, fails, kir_op(l->a, FD_OP_LOR, fails->type, 2, either));
    gen_leave(g, scope);
    kir_for(l->a, &all, at->name, lo, nest_add(l, lo, h->n), kir_int(l->a, 1), false, body);
    return all;
}

/* Is one of the elements over the range an index outside? They are inside of their own array. */
static void look_at_all(Hoist *h, const KirExpr *lo)
{
    enum { MOST = 1 << 30 }; /* positions, which are ints in lanes */
    Lower *l = h->l;
    Gen *g = &l->g;
    Arena *a = l->a;
    int lanes = g->lanes;
    g->lanes = KIR_V4;
    nest_lane_count(l->u, g->lanes);
    for (int i = 0; i < h->nnamed; i++) {
        const Named *x = &h->named[i];
        if (gen_is_suspect(g, x->element)) continue;
        const KirExpr *fails = kir_name(a, kir_type(SC_BOOL, 1), fresh_name(l->u, "fails"));
        kir_decl(a, g->block, fails->type, fails->name,
                 kir_const(a, SC_BOOL, (ScalarValue){.i = 0}));
        const KirExpr *end = gen_variable(g, "end", gen_last_vector(g, x->element, 0));
        const KirExpr *length = gen_length(g, x->element, 0),
                      *can = nest_op(l, FD_OP_LAND, nest_op(l, FD_OP_LE, length, kir_int(a, MOST)),
                                     nest_op(l, FD_OP_GE, length, nest_lanes_number(l)));
        KirBlock fast = by_vectors(h, x, lo, end, fails), slow = one_by_one(h, x, lo, fails);
        kir_if(a, g->block, can, fast, &slow);
        leave_out(h, fails);
        vec_push(&g->proved, ((struct PlanSuspect){x->read, x->dim}));
    }
    g->lanes = lanes;
}

/* Is there a loop whose lanes do not note what they read? */
static bool goes_unmasked(const NestStep *s, int axis)
{
    for (; s; s = s->next) {
        bool over = s->kind == NEST_FOR && s->axis == axis && s->bind == NEST_LOOP;
        if (over ? s->tail != NEST_MASKED : goes_unmasked(s->first, axis)) return true;
    }
    return false;
}

/* Is it an error if there is nothing to reduce? */
static bool must_have_some(const Lower *l, int axis)
{
    for (int r = 0; r < l->n->nreduces; r++)
        if (nest_is_reduced(l->n, axis, r, r + 1) && !fd_has_identity(l->n->reduces[r]))
            return true;
    return false;
}

void nest_range_here(Lower *l, const NestStep *s)
{
    const int axis = s->axis;
    Gen *g = &l->g;
    const NestAxis *x = &l->n->axes[axis];
    const KirExpr *lo = gen_variable(g, "lo", gen_index(g, x->doms->lo)),
                  *hi = gen_variable(g, "hi", gen_index(g, x->doms->hi)), *zero = kir_int(l->a, 0);
    gen_remember_index(g, x->doms->lo, lo);
    gen_remember_index(g, x->doms->hi, hi);
    const KirExpr *n = kir_name(l->a, lo->type, fresh_name(l->u, "n"));
    kir_decl(l->a, g->block, kir_type(KIR_IDX, 1), n->name, nest_op(l, FD_OP_SUB, hi, lo));
    l->places[axis].n = n;
    if (g->checks != GEN_NOTED) return;
    Hoist h = {.l = l, .axis = x, .n = n};
    GenScope scope = gen_enter(g, g->block);
    gen_bind(g, x->vars[0], lo);
    for (int r = 0; r < l->n->nreduces; r++)
        if (nest_is_reduced(l->n, axis, r, r + 1)) hoist_reads(&h, l->n->reduces[r]->body);
    scope.nproved = g->proved.len;
    gen_leave(g, scope);
    fd_seen_free(&h.seen);
    const KirExpr *fails = h.leaves;
    if (must_have_some(l, axis)) {
        const KirExpr *empty = nest_op(l, FD_OP_LE, n, zero);
        fails = fails ? nest_op(l, FD_OP_LOR, empty, fails) : empty;
    } else if (fails) {
        fails = nest_op(l, FD_OP_LAND, nest_op(l, FD_OP_GT, n, zero), fails);
    }
    if (fails) leave_out(&h, gen_variable(g, "fails", fails));
    scope = gen_enter(g, g->block);
    if (goes_unmasked(s->next, axis)) look_at_all(&h, lo);
    scope.nproved = g->proved.len;
    gen_leave(g, scope);
}

/* ---- ranges that shift from lane to lane ---------------------------------------------------------
 *
 *   r(k) = sum(i : 0..n - k, x(i) * x(i + k))      in lanes of k
 *
 * All lanes of a strip share 0..n - (its last k). What each has beyond that is its result's first
 * value, computed one by one. */

/* A bound for the position `off` behind where the strip begins. */
static const KirExpr *bound_for(Lower *l, const FdNode *bound, const KirExpr *off)
{
    Gen *g = &l->g;
    const NestAxis *x = &l->n->axes[l->n->lanes_axis];
    GenScope scope = gen_enter(g, g->block);
    gen_bind_at(g, x->doms, x->vars[0], nest_add(l, l->places[l->n->lanes_axis].at, off));
    const KirExpr *e = gen_variable(g, "bound", gen_index(g, bound));
    gen_leave(g, scope);
    return e;
}

/* Does it grow from lane to lane? */
static bool grows(const Lower *l, const FdNode *bound)
{
    FdAffine form;
    int64_t factor = 0;
    const FdNode *v = l->n->axes[l->n->lanes_axis].vars[0];
    return fd_affine(bound, &form) && fd_affine_factor(&form, v, &factor) && factor > 0;
}

/* acc0 = acc0 op what belongs to the range.. */
static void take_one_by_one(Lower *l, int axis, const KirExpr *lo, const KirExpr *hi,
                            const KirExpr *const *acc)
{
    Gen *g = &l->g;
    const FdNode *v = l->n->axes[axis].vars[0];
    const KirExpr *k = kir_name(l->a, lo->type, gen_var_name(g, v));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    gen_bind(g, v, k);
    for (int r = 0; r < l->n->nreduces; r++) {
        const FdNode *reduce = l->n->reduces[r];
        kir_set(l->a, g->block, acc[r],
                gen_combine(g, reduce->fn, acc[r], gen_whole(g, reduce->body)));
    }
    gen_leave(g, scope);
    kir_for(l->a, g->block, k->name, lo, hi, kir_int(l->a, 1), false, body);
}

void nest_shared_here(Lower *l, const NestStep *s)
{
    const int axis = s->axis;
    Gen *g = &l->g;
    const NestRegs *regs = &l->n->regs[0];
    const FdDom *dom = l->n->axes[axis].doms;
    const KirType idx = kir_type(KIR_IDX, 1);
    const KirExpr *zero = kir_int(l->a, 0), *one = kir_int(l->a, 1),
                  *lanes = nest_mul(l, nest_number(l, "count", regs->count),
                                    nest_number(l, "step", regs->step)),
                  *last = nest_op(l, FD_OP_SUB, lanes, one);
    const KirExpr *lo = bound_for(l, dom->lo, grows(l, dom->lo) ? last : zero),
                  *hi = bound_for(l, dom->hi, grows(l, dom->hi) ? zero : last);
    const KirExpr *end = kir_name(l->a, idx, fresh_name(l->u, "end"));
    KirBlock empty = {0}, each = {0};
    kir_decl(l->a, g->block, idx, end->name, hi);
    kir_set(l->a, &empty, end, lo);
    kir_if(l->a, g->block, nest_op(l, FD_OP_LT, end, lo), empty, NULL);
    const KirExpr *lane = kir_name(l->a, idx, fresh_name(l->u, "lane")), *acc[NEST_RESULTS];
    for (int r = 0; r < l->n->nreduces; r++) {
        KirType t = gen_type(l->u, l->n->reduces[r]->type);
        kir_array(l->a, g->block, t, arena_printf(l->a, "rest%d", r), false, 1, &lanes);
    }
    GenScope scope = gen_enter(g, &each);
    const NestAxis *x = &l->n->axes[l->n->lanes_axis];
    gen_bind_at(g, x->doms, x->vars[0], nest_add(l, l->places[l->n->lanes_axis].at, lane));
    const KirExpr *from = gen_variable(g, "lo", gen_index(g, dom->lo)),
                  *to = gen_variable(g, "hi", gen_index(g, dom->hi));
    for (int r = 0; r < l->n->nreduces; r++) {
        const FdNode *reduce = l->n->reduces[r];
        acc[r] = kir_name(l->a, gen_type(l->u, reduce->type), fresh_name(l->u, "acc"));
        kir_decl(l->a, g->block, acc[r]->type, acc[r]->name, gen_identity(g, reduce));
    }
    take_one_by_one(l, axis, from, kir_min(l->a, lo, to), acc);
    take_one_by_one(l, axis, end, to, acc);
    for (int r = 0; r < l->n->nreduces; r++)
        kir_set(l->a, g->block,
                kir_elem(l->a, acc[r]->type, arena_printf(l->a, "rest%d", r), 1, &lane), acc[r]);
    gen_leave(g, scope);
    kir_for(l->a, g->block, lane->name, zero, lanes, one, false, each);
    l->places[axis].n = gen_variable(g, "n", nest_op(l, FD_OP_SUB, end, lo));
    gen_give_range(g, l->n->axes[axis].vars[0], lo, l->places[axis].n);
    l->rest = true;
}
