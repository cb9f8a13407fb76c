/* Lowering nests that carry values of a recurrence: its last elements along an axis stay in
 * registers, and steps of a scan (analysis/scan.h) are taken together.
 *
 *   START, TAKE, SAVE   what the steps of a part come to, for a nest after it
 *   RESUME              the elements before the first position: of the result, or what the steps of
 *                       the parts before make of the first
 *   GIVE                the element here; in lanes the steps of a vector are combined by shifting
 *
 * A product of factors can overflow where the elements themselves would not: where it is not finite,
 * elements follow one after the other. */
#include "../../../../../base/internal.h"
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

KirType nest_kind(const FdNode *n)
{
    return kir_type((int)result_kind(n), 1);
}

KirType nest_element(const Lower *l)
{
    return nest_kind(l->n->def->body);
}

/* Number k of the steps so far, or element k + 1 before the position. */
const KirExpr *nest_carried(Lower *l, KirType t, int k)
{
    return kir_name(l->a, t, arena_printf(l->a, "%s_%d", l->carried, k));
}

const KirExpr *nest_scan_number(Lower *l, int k)
{
    return nest_carried(l, nest_kind(l->n->scan->step[k]), k);
}

static const KirExpr *vector(Lower *l)
{
    KirType t = nest_kind(l->n->scan->step[0]);
    t.lanes = l->g.lanes;
    return kir_name(l->a, t, arena_printf(l->a, "%s_v", l->carried));
}

/* The element before, in all lanes of a vector: what waits for it from vector to vector is one step. */
static const KirExpr *everywhere(Lower *l)
{
    KirType t = nest_element(l);
    t.lanes = l->g.lanes;
    return kir_name(l->a, t, arena_printf(l->a, "%s_all", l->carried));
}

static bool gives_vectors(const Lower *l)
{
    return l->n->scan && l->n->lanes_axis == l->n->carry_axis;
}

static bool in_vectors(const Lower *l) /* steps of each lane for itself */
{
    return l->n->scan && l->n->scan->commutes && l->n->lanes_axis == l->n->carry_axis;
}

void nest_scan_copy(Lower *l, const char *stem, int n, const KirExpr **x)
{
    for (int k = 0; k < n; k++) {
        const char *name = fresh_name(l->u, stem);
        kir_decl(l->a, l->g.block, x[k]->type, name, x[k]);
        x[k] = kir_name(l->a, x[k]->type, name);
    }
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* y := what x and then y come to. */
void nest_scan_both(Lower *l, const KirExpr *const *x, const KirExpr **y)
{
    const Scan *s = l->n->scan;
    const KirExpr *out[SCAN_NUMBERS];
    GenScope scope = gen_enter(&l->g, l->g.block);
    for (int k = 0; k < s->n; k++) {
        gen_remember(&l->g, s->first[k], x[k]);
        gen_remember(&l->g, s->second[k], y[k]);
    }
    for (int k = 0; k < s->n; k++)
        out[k] = kir_splat(l->a, y[k]->type.lanes, gen_value(&l->g, s->both[k]));
    gen_leave(&l->g, scope);
    nest_scan_copy(l, "step", s->n, out);
    for (int k = 0; k < s->n; k++) y[k] = out[k];
}

/* The element after these steps. */
const KirExpr *nest_scan_after(Lower *l, const KirExpr *before, const KirExpr *const *step)
{
    const Scan *s = l->n->scan;
    GenScope scope = gen_enter(&l->g, l->g.block);
    gen_remember(&l->g, s->before, before);
    for (int k = 0; k < s->n; k++) gen_remember(&l->g, s->second[k], step[k]);
    const KirExpr *e = kir_splat(l->a, step[0]->type.lanes, gen_value(&l->g, s->after));
    gen_leave(&l->g, scope);
    return gen_variable(&l->g, "v", e);
}

/* The numbers of the step here. */
void nest_scan_steps(Lower *l, const KirExpr **out)
{
    const Scan *s = l->n->scan;
    GenScope scope = gen_enter(&l->g, l->g.block);
    int lanes = nest_in_lanes(l, l->n->carry_axis) ? l->g.lanes : 1;
    for (int k = 0; k < s->n; k++) out[k] = kir_splat(l->a, lanes, gen_whole(&l->g, s->step[k]));
    gen_leave(&l->g, scope);
    nest_scan_copy(l, "step", s->n, out);
}

void nest_scan_none(Lower *l, const KirExpr **out)
{
    for (int k = 0; k < l->n->scan->n; k++) out[k] = gen_value(&l->g, l->n->scan->identity[k]);
}

/* ---- in a vector ------------------------------------------------------------------------------- */

static void shifted(Lower *l, Intrinsic how, int by, const KirExpr *const *x, const KirExpr **out)
{
    const KirExpr *none[SCAN_NUMBERS];
    nest_scan_none(l, none);
    for (int k = 0; k < l->n->scan->n; k++) {
        out[k] = kir_moved(l->a, how, by, x[k], kir_splat(l->a, x[k]->type.lanes, none[k]));
    }
}

/* Each lane's numbers become those of all steps up to it: inside parts of 128 bits, then with all of
 * the parts before, which do not wait for each other. */
static void scan_lanes(Lower *l, const KirExpr **x)
{
    bool down = l->n->axes[l->n->carry_axis].down;
    Intrinsic inside = down ? INTR_AFTER : INTR_BEFORE, parts = down ? INTR_NEXT : INTR_PART;
    const KirExpr *y[SCAN_NUMBERS], *z[SCAN_NUMBERS];
    for (int by = 1; by <= 2; by++) {
        shifted(l, inside, by, x, y);
        nest_scan_both(l, y, x);
    }
    shifted(l, parts, 2, x, y);
    shifted(l, parts, 3, x, z);
    nest_scan_both(l, z, y);
    shifted(l, parts, 1, x, z);
    nest_scan_both(l, z, x);
    nest_scan_both(l, y, x);
}

static const KirExpr *last_lane(Lower *l, const KirExpr *x)
{
    bool down = l->n->axes[l->n->carry_axis].down, truth = x->type.kind == SC_BOOL;
    KirType t = kir_type(truth ? SC_INT : x->type.kind, 1);
    const KirExpr *e = kir_intrinsic(l->a, t, down ? INTR_FIRST : INTR_LAST, &x);
    return truth ? kir_convert(l->a, kir_type(SC_BOOL, 1), e) : e;
}

/* ---- parts ------------------------------------------------------------------------------------- */

void nest_scan_start(Lower *l, const KirExpr **none)
{
    l->carried = fresh_name(l->u, "sum");
    nest_scan_none(l, none);
    for (int k = 0; k < l->n->scan->n; k++)
        kir_decl(l->a, l->g.block, none[k]->type, nest_scan_number(l, k)->name, none[k]);
}

static void start(Lower *l)
{
    const KirExpr *none[SCAN_NUMBERS];
    nest_scan_start(l, none);
    if (in_vectors(l)) {
        const KirExpr *v = vector(l);
        kir_decl(l->a, l->g.block, v->type, v->name, kir_splat(l->a, v->type.lanes, none[0]));
    }
}

void nest_scan_add(Lower *l, const KirExpr **step)
{
    const KirExpr *x[SCAN_NUMBERS];
    for (int k = 0; k < l->n->scan->n; k++) x[k] = nest_scan_number(l, k);
    nest_scan_both(l, x, step);
    for (int k = 0; k < l->n->scan->n; k++) kir_set(l->a, l->g.block, x[k], step[k]);
}

static void add_vector(Lower *l, const KirExpr **x)
{
    scan_lanes(l, x);
    for (int k = 0; k < l->n->scan->n; k++) x[k] = last_lane(l, x[k]);
    nest_scan_add(l, x);
}

static void take(Lower *l)
{
    const KirExpr *x[SCAN_NUMBERS];
    nest_scan_steps(l, x);
    if (!nest_in_lanes(l, l->n->carry_axis)) {
        nest_scan_add(l, x);
    } else if (in_vectors(l)) {
        const KirExpr *v = vector(l), *sum = v;
        nest_scan_both(l, &sum, x);
        kir_set(l->a, l->g.block, v, x[0]);
    } else {
        add_vector(l, x);
    }
}

static const KirExpr *part_at(Lower *l, const KirExpr *part)
{
    const NestPart *p = &l->n->part;
    if (p->naxes == 1) return part;
    const KirExpr *parts = nest_number(l, "parts", p->lengths[p->naxes - 1]);
    return nest_add(l, nest_mul(l, l->places[p->axes[0]].at, parts), part);
}

void nest_scan_store(Lower *l, const KirExpr *const *x)
{
    const Nest *n = l->n;
    const KirExpr *at = gen_variable(&l->g, "at", part_at(l, l->places[n->carry_axis].turn));
    for (int k = 0; k < n->scan->n; k++)
        kir_store(l->a, l->g.block, gen_temp(&l->g, n->part.temps[k], x[k]->type, true), at, x[k]);
}

void nest_scan_load(Lower *l, const KirExpr *part, const KirExpr **x)
{
    const Nest *n = l->n;
    const KirExpr *at = gen_variable(&l->g, "at", part_at(l, part));
    for (int k = 0; k < n->scan->n; k++) {
        KirType t = nest_kind(n->scan->step[k]);
        x[k] = kir_load(l->a, t, gen_temp(&l->g, n->part.temps[k], t, false), at);
    }
    nest_scan_copy(l, "step", n->scan->n, x);
}

static void save(Lower *l)
{
    const KirExpr *x[SCAN_NUMBERS];
    if (in_vectors(l)) {
        const KirExpr *v = vector(l);
        add_vector(l, &v);
    }
    for (int k = 0; k < l->n->scan->n; k++) x[k] = nest_scan_number(l, k);
    nest_scan_store(l, x);
}

/* ---- elements ---------------------------------------------------------------------------------- */

static void remember_before(Lower *l)
{
    const Nest *n = l->n;
    int dim = nest_carry_dim(n);
    for (int i = 0; i < n->inside->nreads; i++) {
        int64_t before = nest_carries(n, &n->inside->reads[i], dim);
        if (before)
            gen_remember(&l->g, n->inside->reads[i].node,
                         nest_carried(l, nest_element(l), (int)before - 1));
    }
}

/* The element here, which is the last one then. */
static void one_element(Lower *l, bool store)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    KirType t = nest_element(l);
    GenScope scope = gen_enter(g, g->block);
    nest_remember(l);
    remember_before(l);
    const char *name = fresh_name(l->u, "v");
    kir_decl(l->a, g->block, t, name, gen_whole(g, n->def->body));
    const KirExpr *v = kir_name(l->a, t, name);
    gen_remember(g, n->def->body, v);
    if (store) gen_store(g, n->def);
    gen_leave(g, scope);
    for (int k = n->carried; k-- > 1;)
        kir_set(l->a, g->block, nest_carried(l, t, k), nest_carried(l, t, k - 1));
    kir_set(l->a, g->block, nest_carried(l, t, 0), v);
}

/* The elements at `count` positions from `at` on, one after the other. */
void nest_scan_walk(Lower *l, const KirExpr *at, const KirExpr *count, bool store)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[l->n->carry_axis], before = *p;
    const FdNode *lane = g->lane_var;
    const KirExpr *i = kir_name(l->a, idx, fresh_name(l->u, "s"));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    g->lane_var = NULL;
    p->lanes = false;
    p->at = nest_add(l, at, i);
    nest_bind(l, l->n->carry_axis);
    one_element(l, store);
    gen_leave(g, scope);
    *p = before;
    g->lane_var = lane;
    kir_for(l->a, g->block, i->name, kir_int(l->a, 0), count, kir_int(l->a, 1), false, body);
}

void nest_scan_unless_grown(Lower *l, const KirExpr *factor, KirBlock fast, KirBlock slow)
{
    bool grows = l->n->scan->grows;
    const KirExpr *finite = kir_intrinsic(l->a, kir_type(SC_BOOL, 1), INTR_FINITE, &factor);
    kir_if(l->a, l->g.block, grows ? finite : NULL, fast, grows ? &slow : NULL);
}

void nest_scan_parts(Lower *l, const KirExpr *const *x, void (*walk)(Lower *l, const KirExpr *part),
                     const KirExpr *part)
{
    Gen *g = &l->g;
    const KirExpr *last = nest_carried(l, nest_element(l), 0);
    KirBlock fast = {0}, slow = {0};
    GenScope scope = gen_enter(g, &fast);
    kir_set(l->a, g->block, last, nest_scan_after(l, last, x));
    gen_leave(g, scope);
    if (l->n->scan->grows) {
        scope = gen_enter(g, &slow);
        walk(l, part);
        gen_leave(g, scope);
    }
    nest_scan_unless_grown(l, x[0], fast, slow);
}

static void give_vector(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    const KirExpr *x[SCAN_NUMBERS], *last = nest_carried(l, nest_element(l), 0),
                                    *all = everywhere(l);
    nest_scan_steps(l, x);
    scan_lanes(l, x);
    KirBlock fast = {0}, slow = {0};
    GenScope scope = gen_enter(g, &fast);
    const KirExpr *v = nest_scan_after(l, all, x), *end[SCAN_NUMBERS];
    gen_remember(g, n->def->body, v);
    gen_store(g, n->def);
    for (int k = 0; k < n->scan->n; k++)
        end[k] = gen_variable(g, "end", kir_splat(l->a, g->lanes, last_lane(l, x[k])));
    kir_set(l->a, g->block, all, nest_scan_after(l, all, end));
    kir_set(l->a, g->block, last, last_lane(l, v));
    gen_leave(g, scope);
    if (n->scan->grows) {
        scope = gen_enter(g, &slow);
        nest_scan_walk(l, l->places[n->carry_axis].at, nest_lanes_number(l), true);
        kir_set(l->a, g->block, all, kir_splat(l->a, g->lanes, last));
        gen_leave(g, scope);
    }
    nest_scan_unless_grown(l, x[0], fast, slow);
}

/* The elements before a position: those of the result. */
void nest_load_before(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    NestPlace *p = &l->places[n->carry_axis], before = *p;
    if (n->part.naxes) p->at = kir_int(l->a, 0);
    for (int k = 0; k < n->carried; k++) {
        GenScope scope = gen_enter(g, g->block);
        NestPlace here = *p;
        p->at = nest_op(l, FD_OP_SUB, p->at, kir_int(l->a, k + 1));
        nest_bind(l, n->carry_axis);
        const KirExpr *e =
            kir_load(l->a, nest_element(l), gen_output(g, n->def), gen_output_offset(g, n->def));
        kir_decl(l->a, g->block, e->type, nest_carried(l, nest_element(l), k)->name, e);
        *p = here;
        gen_leave(g, scope);
    }
    *p = before;
}

static void walk_part(Lower *l, const KirExpr *part)
{
    const KirExpr *share = l->places[l->n->carry_axis].span;
    if (!share) share = kir_int(l->a, 1);
    nest_scan_walk(l, nest_mul(l, part, share), share, false);
}

void nest_parts_before(Lower *l)
{
    Gen *g = &l->g;
    const KirExpr *part = kir_name(l->a, idx, fresh_name(l->u, "part")), *x[SCAN_NUMBERS];
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    nest_scan_load(l, part, x);
    nest_scan_parts(l, x, walk_part, part);
    gen_leave(g, scope);
    kir_for(l->a, g->block, part->name, kir_int(l->a, 0), l->places[l->n->carry_axis].turn,
            kir_int(l->a, 1), false, body);
}

static void resume(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    l->carried = fresh_name(l->u, "before");
    nest_load_before(l);
    if (n->part.naxes) nest_parts_before(l);
    if (!gives_vectors(l)) return;
    const KirExpr *all = everywhere(l), *last = nest_carried(l, nest_element(l), 0);
    kir_decl(l->a, g->block, all->type, all->name, kir_splat(l->a, all->type.lanes, last));
}

void nest_carry(Lower *l, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: start(l); break;
    case NEST_RESUME: resume(l); break;
    case NEST_TAKE: take(l); break;
    case NEST_SAVE: save(l); break;
    case NEST_GIVE:
        if (nest_in_lanes(l, l->n->carry_axis))
            give_vector(l);
        else
            one_element(l, true);
        break;
    default: internal_error("carry", "a step of no form");
    }
}
