/* Where reads of arrays go: offsets from indices, and what is done about an index that may be outside.
 *
 *   proved    nothing
 *   checked   cs_inside reports it and gives 0
 *   noted     the last index in its place, no branch; that it was is noted:
 *                 at = i - lo; noted = noted || at >= n (unsigned); at = min(at, n - 1) (unsigned)
 *             schedules see to it that the array has elements
 *
 * In lanes of a variable an index stays, moves by one (the lanes follow each other in memory), or
 * moves otherwise: then each lane has an offset of its own, an int. */
#include "access.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1}, truth = {.kind = SC_BOOL, .lanes = 1};

static const UnitRing *ring_of(const Gen *g, const FdNode *array)
{
    const Unit *u = g->u;
    bool temp = array->kind == FD_FUNC && array->slot >= u->ninputs;
    return temp ? gen_ring(g, u->plan_slot[array->slot]) : NULL;
}

/* A row that is saved for reads of its index alone lies apart. */
static const UnitRing *ring_of_read(const Gen *g, const FdNode *read)
{
    const UnitRing *ring = ring_of(g, read->fn);
    const FdNode *index = ring ? read->args[ring->dim] : NULL;
    Num *row = index && node_is_closed(index) ? num_of(g->u, index) : NULL;
    const UnitRing *saved = row ? gen_ring_row(g, ring->of, row) : NULL;
    return saved ? saved : ring;
}

bool access_is_ring(const Gen *g, const FdNode *array)
{
    return ring_of(g, array) != NULL;
}

/* Does the index itself tell that it is outside? */
static bool is_checked(const KirExpr *index)
{
    bool checked = kir_is(index, INTR_INSIDE);
    for (int i = 0; i < index->nargs && !checked; i++) checked = is_checked(index->args[i]);
    return checked;
}

const KirExpr *access_ring_row(Gen *g, const UnitRing *ring, const KirExpr *at)
{
    Arena *a = g->u->arena;
    if (num_is(ring->keeps, 1) && !is_checked(at)) return kir_int(a, 0);
    if (g->round) at = kir_arith(a, FD_OP_ADD, at, g->round);
    const KirExpr *args[] = {at, gen_number(g, "keeps", ring->keeps)};
    return kir_intrinsic(a, idx, INTR_RING, args);
}

/* Stride of dimension d of an array: the product of the lengths behind it. */
const KirExpr *access_stride(Gen *g, const FdNode *array, int d)
{
    Unit *u = g->u;
    int rank = array->type->nparams;
    const UnitRing *ring = ring_of(g, array);
    Num *stride = num_int(u, 1);
    for (int e = ring && d == ring->dim ? 0 : d + 1; e < rank; e++)
        if (!ring || e != ring->dim)
            stride = num_op(u, FD_OP_MUL, stride, plan_array_n(u, array, e));
    return gen_number(g, arena_printf(u->arena, "%s_s%d", access_name(g, array), d), stride);
}

/* Offset of the element with all indices 0, which is below the array when its domain begins later.
 */
static const KirExpr *array_base(Gen *g, const FdNode *array)
{
    Unit *u = g->u;
    Num *base = num_int(u, 0);
    for (int d = 0; d < array->type->nparams; d++) /* Horner: ((lo0 * n1 + lo1) * n2 + lo2) .. */
        base = num_op(u, FD_OP_ADD, num_op(u, FD_OP_MUL, base, plan_array_n(u, array, d)),
                      plan_array_lo(u, array, d));
    return gen_number(g, arena_printf(u->arena, "%s_b", access_name(g, array)), base);
}

static const KirExpr *array_lo(Gen *g, const FdNode *array, int d)
{
    const char *name = arena_printf(g->u->arena, "%s_lo%d", access_name(g, array), d);
    return gen_number(g, name, plan_array_lo(g->u, array, d));
}

static const KirExpr *array_n(Gen *g, const FdNode *array, int d)
{
    const char *name = arena_printf(g->u->arena, "%s_n%d", access_name(g, array), d);
    return gen_number(g, name, plan_array_n(g->u, array, d));
}

static const KirExpr *add_strides(Gen *g, const FdNode *array, int d, const KirExpr *offset,
                                  const KirExpr *at)
{
    Arena *a = g->u->arena;
    return kir_arith(a, FD_OP_ADD, offset, kir_arith(a, FD_OP_MUL, at, access_stride(g, array, d)));
}

static const KirExpr *last_of(Gen *g, const FdNode *array, int d)
{
    return kir_arith(g->u->arena, FD_OP_SUB, array_n(g, array, d), kir_int(g->u->arena, 1));
}

/* ---- one element ------------------------------------------------------------------------------- */

static bool is_listed(int n, const struct PlanSuspect *reads, const FdNode *read, int dim)
{
    for (int i = 0; i < n; i++)
        if (reads[i].node == read && reads[i].dim == dim) return true;
    return false;
}

/* Can this dimension fall outside? In functions all can. */
static bool is_suspect_in(const Gen *g, const FdNode *read, int dim)
{
    if (g->uneven && fd_uses_var(read->args[dim], g->uneven))
        return true; /* of lanes at their end */
    if (is_listed((int)g->proved.len, g->proved.data, read, dim)) return false;
    if (g->user || g->body) return true;
    const PlanSuspects *s = g->here ? g->here : def_suspects(g->u, g->u->def);
    return is_listed(s->n, s->reads, read, dim);
}

bool gen_is_suspect(const Gen *g, const FdNode *read)
{
    for (int d = 0; d < read->nargs; d++)
        if (is_suspect_in(g, read, d)) return true;
    return false;
}

/* An index counted from 0. */
static const KirExpr *index_at(Gen *g, const FdNode *index, const FdNode *array, int d)
{
    return kir_arith(g->u->arena, FD_OP_SUB, gen_index(g, index), array_lo(g, array, d));
}

static const KirExpr *plain_at(Gen *g, const FdNode *read, int d)
{
    return index_at(g, read->args[d], read->fn, d);
}

/* The same checked, as long as the index may be anything: computed in the language's types. */
static const KirExpr *checked_at(Gen *g, const FdNode *read, int d)
{
    Arena *a = g->u->arena;
    KirType wide = kir_type(SC_LONG, 1);
    if (!is_suspect_in(g, read, d)) return plain_at(g, read, d); /* the lanes' among them */
    const KirExpr *lo = array_lo(g, read->fn, d), *n = array_n(g, read->fn, d);
    const KirExpr *args[] = {kir_convert(a, wide, gen_value(g, read->args[d])), lo, n, gen_error(g),
                             kir_int(a, site_of(read))};
    return kir_convert(a, idx, kir_intrinsic(a, wide, INTR_INSIDE, args));
}

static const KirExpr *noted_at(Gen *g, const FdNode *read, int d)
{
    Arena *a = g->u->arena;
    if (!is_suspect_in(g, read, d)) return plain_at(g, read, d);
    const KirExpr *index = kir_convert(a, idx, gen_value(g, read->args[d]));
    const KirExpr *at =
        gen_variable(g, "at", kir_arith(a, FD_OP_SUB, index, array_lo(g, read->fn, d)));
    const KirExpr *args[] = {at, last_of(g, read->fn, d)};
    gen_note(g, kir_intrinsic(a, truth, INTR_BEYOND, args));
    return kir_intrinsic(a, idx, INTR_WITHIN, args);
}

/* Rings know the row by the place that it had before it went round. */
static const FdNode *before_round(Gen *g, const FdNode *index)
{
    FdRound round;
    return fd_goes_round(g->u->fd, index, &round) ? round.of : index;
}

/* The place before it went round of a row that is read where a guard has told which one it is: the last one that there is so far. */
static const KirExpr *last_place(Gen *g, const UnitRing *ring, const KirExpr *row)
{
    Arena *a = g->u->arena;
    const KirExpr *zero = kir_int(a, 0), *away = g->round ? g->round : zero;
    const KirExpr *at = gen_variable(g, "at", row), *ago;
    ago = kir_arith(a, FD_OP_SUB, ring->newest, kir_arith(a, FD_OP_ADD, at, away));
    const KirExpr *behind[] = {kir_arith(a, FD_OP_GE, ago, ring->rows), ring->rows, zero},
                  *ahead[] = {kir_arith(a, FD_OP_LT, ago, zero), ring->rows, zero};
    at = kir_arith(a, FD_OP_ADD, at, kir_op(a, FD_OP_SELECT, idx, 3, behind));
    return kir_arith(a, FD_OP_SUB, at, kir_op(a, FD_OP_SELECT, idx, 3, ahead));
}

/* Dimensions [from, to). */
static const KirExpr *some_dims(Gen *g, const FdNode *read, int from, int to)
{
    const KirExpr *offset = kir_int(g->u->arena, 0);
    for (int d = from; d < to; d++)
        offset = add_strides(g, read->fn, d, offset, plain_at(g, read, d));
    return offset;
}

const KirExpr *access_row(Gen *g, const FdNode *read, int d)
{
    return some_dims(g, read, 0, d + 1);
}

const KirExpr *access_in_row(Gen *g, const FdNode *read, int d)
{
    return some_dims(g, read, d + 1, read->nargs);
}

typedef const KirExpr *IndexAt(Gen *g, const FdNode *read, int d);

static const KirExpr *offset_by(Gen *g, const FdNode *read, IndexAt *at)
{
    const UnitRing *ring = ring_of_read(g, read);
    const KirExpr *offset = ring ? ring->slab : kir_int(g->u->arena, 0);
    for (int d = 0; d < read->nargs; d++) {
        const FdNode *of = ring && d == ring->dim ? before_round(g, read->args[d]) : read->args[d];
        const KirExpr *index = of == read->args[d] ? at(g, read, d) : index_at(g, of, read->fn, d);
        if (ring && d == ring->dim && ring->newest && of == read->args[d])
            index = last_place(g, ring, index);
        if (ring && d == ring->dim) index = access_ring_row(g, ring, index);
        offset = add_strides(g, read->fn, d, offset, index);
    }
    return offset;
}

const KirExpr *access_offset(Gen *g, const FdNode *array, const FdNode *const *index)
{
    const KirExpr *offset = kir_int(g->u->arena, 0);
    for (int d = 0; d < array->type->nparams; d++)
        offset = add_strides(g, array, d, offset, gen_index(g, index[d]));
    return kir_arith(g->u->arena, FD_OP_SUB, offset, array_base(g, array));
}

static const KirExpr *plain_offset(Gen *g, const FdNode *read)
{
    if (ring_of(g, read->fn)) return offset_by(g, read, plain_at);
    return access_offset(g, read->fn, read->args);
}

const KirExpr *gen_leaves(Gen *g, const FdNode *read, int d, const KirExpr *n)
{
    Arena *a = g->u->arena;
    const KirExpr *first = gen_variable(g, "at", plain_at(g, read, d)),
                  *room = kir_arith(a, FD_OP_SUB, array_n(g, read->fn, d), n);
    return kir_arith(a, FD_OP_LOR, kir_arith(a, FD_OP_LT, first, kir_int(a, 0)),
                     kir_arith(a, FD_OP_GT, first, room));
}

/* ---- lanes that follow each other ---------------------------------------------------------------- */

/* The first lane's offset, and whether all lanes are inside; what stays is noted apart. */
static Where noted_row(Gen *g, const FdNode *read)
{
    Arena *a = g->u->arena;
    int last = read->nargs - 1;
    Where w = {.offset = kir_int(a, 0), .lanes = g->lanes};
    for (int d = 0; d < last; d++)
        w.offset = add_strides(g, read->fn, d, w.offset, noted_at(g, read, d));
    const KirExpr *at = gen_index(g, read->args[last]);
    at = gen_variable(g, "at", kir_arith(a, FD_OP_SUB, at, array_lo(g, read->fn, last)));
    if (!is_suspect_in(g, read, last)) {
        w.offset = kir_arith(a, FD_OP_ADD, w.offset, at);
        return w;
    }
    const KirExpr *room =
        kir_arith(a, FD_OP_SUB, array_n(g, read->fn, last), kir_lane_count(a, g->lanes));
    w.whole = gen_variable(g, "whole",
                           kir_arith(a, FD_OP_LAND, kir_arith(a, FD_OP_GE, at, kir_int(a, 0)),
                                     kir_arith(a, FD_OP_LE, at, room)));
    w.offset = kir_arith(a, FD_OP_ADD, w.offset, at);
    return w;
}

/* ---- lanes apart --------------------------------------------------------------------------------- */

/* An index in lanes, counted from 0: ints where indices are, which are exact modulo 2^32. */
static const KirExpr *lanes_at(Gen *g, const FdNode *read, int d, const KirExpr *index, bool noted)
{
    Arena *a = g->u->arena;
    ScalarKind k = (ScalarKind)index->type.kind;
    bool narrow = k == SC_INT || scalar_bytes(k) < 4;
    KirType t = kir_type(narrow ? SC_INT : SC_LONG, g->lanes);
    const KirExpr *lo = kir_convert(a, kir_type(t.kind, 1), array_lo(g, read->fn, d));
    const KirExpr *from[] = {kir_convert(a, t, index), kir_splat(a, g->lanes, lo)};
    const KirExpr *at = gen_variable(g, "at", kir_op(a, FD_OP_SUB, t, 2, from));
    if (noted) {
        KirType mask = {.kind = SC_BOOL, .lanes = g->lanes};
        const KirExpr *last = kir_convert(a, kir_type(t.kind, 1), last_of(g, read->fn, d));
        const KirExpr *args[] = {at, kir_splat(a, g->lanes, last)};
        gen_note(g, kir_intrinsic(a, mask, INTR_BEYONDS, args));
        at = kir_intrinsic(a, t, INTR_WITHINS, args);
    }
    return kir_convert(a, kir_type(SC_INT, g->lanes), at);
}

/* Rows of a ring by lanes, counted from 0. */
static const KirExpr *ring_rows(Gen *g, const UnitRing *ring, const KirExpr *at)
{
    Arena *a = g->u->arena;
    Num *mask = num_op(g->u, FD_OP_SUB, ring->keeps, num_int(g->u, 1));
    const KirExpr *low = kir_convert(a, kir_type(SC_INT, 1), gen_number(g, "mask", mask));
    if (g->round) {
        const KirExpr *away = kir_convert(a, kir_type(SC_INT, 1), g->round);
        const KirExpr *sum[] = {at, kir_splat(a, g->lanes, away)};
        at = kir_op(a, FD_OP_ADD, at->type, 2, sum);
    }
    const KirExpr *args[] = {at, kir_splat(a, g->lanes, low)};
    return kir_op(a, FD_OP_BITAND, at->type, 2, args);
}

/* An index of a gather that all lanes share. */
static const KirExpr *shared_at(Gen *g, const FdNode *read, int d, const FdNode *index)
{
    if (g->checks == GEN_NOTED) return noted_at(g, read, d);
    bool checked = g->checks == GEN_CHECKED && g->here && index == read->args[d];
    return checked ? checked_at(g, read, d) : index_at(g, index, read->fn, d);
}

Where offset_gather(Gen *g, const FdNode *read)
{
    Arena *a = g->u->arena;
    bool notes = g->checks == GEN_NOTED;
    KirType ints = kir_type(SC_INT, g->lanes);
    const UnitRing *ring = ring_of_read(g, read);
    Where w = {.offset = ring ? ring->slab : kir_int(a, 0), .lanes = g->lanes};
    for (int d = 0; d < read->nargs; d++) {
        const FdNode *of = ring && d == ring->dim ? before_round(g, read->args[d]) : read->args[d];
        const KirExpr *index = gen_varies(g, of) ? gen_value(g, of) : NULL;
        if (!index || index->type.lanes == 1) {
            const KirExpr *at = shared_at(g, read, d, of);
            if (ring && d == ring->dim) at = access_ring_row(g, ring, at);
            w.offset = add_strides(g, read->fn, d, w.offset, at);
            continue;
        }
        bool noted = notes && is_suspect_in(g, read, d);
        const KirExpr *at = lanes_at(g, read, d, index, noted);
        if (ring && d == ring->dim) at = ring_rows(g, ring, at);
        const KirExpr *stride = access_stride(g, read->fn, d);
        if (d < read->nargs - 1) {
            stride = kir_splat(a, g->lanes, kir_convert(a, kir_type(SC_INT, 1), stride));
            const KirExpr *args[] = {at, stride};
            at = kir_op(a, FD_OP_MUL, ints, 2, args);
        }
        const KirExpr *args[] = {w.each, at};
        w.each = w.each ? kir_op(a, FD_OP_ADD, ints, 2, args) : at;
    }
    if (!w.each) /* the variable cancels out */
        w.each = kir_splat(a, g->lanes, kir_const(a, SC_INT, (ScalarValue){.i = 0}));
    w.each = gen_variable(g, "each", w.each);
    return w;
}

const KirExpr *gen_beyonds(Gen *g, const FdNode *read, int d)
{
    Arena *a = g->u->arena;
    const KirExpr *index = gen_value(g, read->args[d]);
    bool lanes = index->type.lanes != 1;
    KirType one = kir_type(SC_INT, 1);
    const KirExpr *lo = array_lo(g, read->fn, d), *last = last_of(g, read->fn, d);
    if (!lanes) {
        const KirExpr *at = kir_arith(a, FD_OP_SUB, kir_convert(a, idx, index), lo);
        const KirExpr *args[] = {at, last};
        return kir_intrinsic(a, truth, INTR_BEYOND, args);
    }
    const KirExpr *from[] = {index, kir_splat(a, g->lanes, kir_convert(a, one, lo))};
    const KirExpr *args[] = {kir_op(a, FD_OP_SUB, index->type, 2, from),
                             kir_splat(a, g->lanes, kir_convert(a, one, last))};
    return kir_intrinsic(a, kir_type(SC_BOOL, g->lanes), INTR_BEYONDS, args);
}

const KirExpr *gen_length(Gen *g, const FdNode *read, int d)
{
    return array_n(g, read->fn, d);
}

const KirExpr *gen_last_vector(Gen *g, const FdNode *read, int d)
{
    Arena *a = g->u->arena;
    const KirExpr *n =
        kir_arith(a, FD_OP_SUB, array_n(g, read->fn, d), kir_lane_count(a, g->lanes));
    return kir_arith(a, FD_OP_ADD, array_lo(g, read->fn, d), n);
}

/* How a read moves from lane to lane; by other variables in lanes than those of the nest's axis (of
 * user functions) it goes anywhere. */
static FdMovement lane_movement(const Gen *g, const FdNode *read, int *step)
{
    *step = 0;
    for (size_t i = 0; i < g->vars.len; i++) {
        const GenBinding *b = &g->vars.data[i];
        bool last = true;
        for (size_t k = i + 1; k < g->vars.len; k++) last = last && g->vars.data[k].var != b->var;
        if (last && b->value->type.lanes != 1 && fd_uses_var(read, b->var)) return FD_MOVES_FAR;
    }
    *step = fd_stride(read, g->lane_var);
    return fd_movement(read, g->lane_var);
}

Where offset_of_read(Gen *g, const FdNode *read)
{
    bool lanes = gen_varies(g, read), suspect = gen_is_suspect(g, read);
    int step = 0;
    FdMovement m = lanes ? lane_movement(g, read, &step) : FD_MOVES_NOT;
    if (lanes && step && (!suspect || g->checks == GEN_PROVED))
        return (Where){.offset = plain_offset(g, read), .step = step, .lanes = g->lanes};
    if (lanes && m != FD_MOVES_UNIT)
        return offset_gather(g, read); /* or the variable cancels out */
    if (lanes && suspect && g->checks == GEN_NOTED) return noted_row(g, read);
    if ((!lanes || g->here) && g->checks == GEN_CHECKED && (g->user || suspect))
        return (Where){.offset = offset_by(g, read, checked_at), .lanes = lanes ? g->lanes : 1};
    if (!lanes && g->checks == GEN_NOTED && suspect)
        return (Where){.offset = offset_by(g, read, noted_at), .lanes = 1};
    return (Where){.offset = plain_offset(g, read), .lanes = lanes ? g->lanes : 1};
}

/* ---- notes --------------------------------------------------------------------------------------- */

void gen_note(Gen *g, const KirExpr *failed)
{
    Arena *a = g->u->arena;
    if (g->mask) {
        const KirExpr *active[] = {kir_splat(a, g->lanes, failed), g->mask};
        failed = kir_op(a, FD_OP_LAND, active[0]->type, 2, active);
    }
    bool lanes = failed->type.lanes != 1;
    if (lanes && g->noted[1] && g->noted[1]->type.lanes != failed->type.lanes) {
        failed = kir_any(a, failed); /* lanes of another width have noted before */
        lanes = false;
    }
    const KirExpr **noted = &g->noted[lanes];
    if (!*noted) {
        const KirExpr *none = kir_const(a, SC_BOOL, (ScalarValue){.i = 0});
        *noted = kir_name(a, failed->type, fresh_name(g->u, "noted"));
        kir_decl(a, &g->head, failed->type, (*noted)->name, kir_splat(a, failed->type.lanes, none));
    }
    const KirExpr *either[] = {*noted, failed};
    /* without a branch, which || is to compilers */
    kir_set(a, g->block, *noted, kir_op(a, FD_OP_BITOR, failed->type, 2, either));
}

void gen_tell(Gen *g)
{
    Arena *a = g->u->arena;
    const KirExpr *any = g->noted[1] ? kir_any(a, g->noted[1]) : NULL,
                  *either[] = {g->noted[0], any}, *error;
    if (any && g->noted[0]) any = kir_op(a, FD_OP_LOR, truth, 2, either);
    if (!any) any = g->noted[0];
    if (!any) return;
    g->u->def->facts->notes = true;
    KirBlock tell = {0};
    error = gen_error(g);
    kir_eval(a, &tell, kir_intrinsic(a, truth, INTR_NOTE, &error));
    kir_if(a, g->block, any, tell, NULL);
}
