/* Reads and stores of arrays in a kernel: buffers and planes of records as parameters.
 */
#include <string.h>

#include "../../../../fdag/index/abreast.h"
#include "access.h"

/* ---- buffers --------------------------------------------------------------------------------- */

/* An array is the function node of its reads, a slot or the self of a recurrence; a temporary
 * scalar, which is an array of one element, is its own node. */
static bool is_self(const FdNode *array)
{
    return array->kind == FD_VAR;
}

/* The array in which the definition's results go, which it reads there, too. */
static const FdNode *into(const Unit *u, const Def *d)
{
    return d && def_is_once(u, d) ? u->g->results[0].part : NULL;
}

static bool is_output(const Unit *u, const FdNode *array)
{
    const FdNode *to = into(u, u->def);
    bool slot = array->kind == FD_FUNC && array->leaf == FD_LEAF_SLOT;
    return is_self(array) || (to && slot && array->slot == to->slot);
}

static const FdType *element_type(const FdNode *array)
{
    return array->type->nparams ? array->type->result : array->type;
}

const char *access_name(const Gen *g, const FdNode *array)
{
    const Unit *u = g->u;
    if (is_output(u, array)) return "out";
    return arena_printf(u->arena, array->slot < u->ninputs ? "a%d" : "t%d",
                        u->plan_slot[array->slot]);
}

const UnitRing *gen_ring_row(const Gen *g, int temp, const Num *row)
{
    for (int i = 0; i < g->nrings; i++)
        if (g->rings[i].of == temp && g->rings[i].row == row) return &g->rings[i];
    return NULL;
}

const UnitRing *gen_ring(const Gen *g, int temp)
{
    const UnitRing *row = gen_ring_row(g, temp, g->row);
    return row ? row : gen_ring_row(g, temp, NULL);
}

/* Where rows of what a definition gives go; NULL: it is stored whole. */
static const UnitRing *ring_of(const Gen *g, const Def *d)
{
    return d->temp < 0 || d->copy ? NULL : gen_ring(g, d->temp);
}

/* A temporary that is stored whole, in plans. */
static const char *temp_arg(const Unit *u, int temp)
{
    int kept = unit_kept(u, temp);
    return arena_printf(u->arena, kept ? "out %d" : "temp %d", kept ? kept - 1 : temp);
}

static KirParam buffer_param(Unit *u, const char *name, const FdType *element, bool writable)
{
    return (KirParam){.name = name,
                      .type = gen_type(u, element),
                      .buffer = true,
                      .planes = element->record != NULL,
                      .writable = writable};
}

/* Memory of a schedule's, by this name only. */
static const char *add_temp(Gen *g, int temp, KirParam p)
{
    p.name = arena_printf(g->u->arena, "t%d", temp);
    p.buffer = true;
    gen_add_param(g, p, arena_printf(g->u->arena, "temp %d", temp));
    return p.name;
}

const char *gen_temp(Gen *g, int temp, KirType t, bool writable)
{
    t.lanes = 1;
    return add_temp(g, temp, (KirParam){.type = t, .writable = writable});
}

/* Each work-item reads what it wrote itself. */
static const char *ring_buffer(Gen *g, const UnitRing *ring, const FdType *element)
{
    KirParam p = buffer_param(g->u, NULL, element, true);
    p.alone = true;
    return add_temp(g, ring->temp, p);
}

/* Where rows of an array are; NULL: it is stored whole. */
static const UnitRing *ring_of_array(const Gen *g, const FdNode *array)
{
    const Unit *u = g->u;
    bool temp = !is_output(u, array) && array->slot >= u->ninputs;
    return temp ? gen_ring(g, u->plan_slot[array->slot]) : NULL;
}

const char *access_buffer(Gen *g, const FdNode *array)
{
    Unit *u = g->u;
    if (is_output(u, array)) return gen_output(g, u->def);
    const char *name = access_name(g, array);
    int number = u->plan_slot[array->slot];
    const UnitRing *ring = ring_of_array(g, array);
    if (ring) return ring_buffer(g, ring, element_type(array));
    gen_add_param(g, buffer_param(u, name, element_type(array), g->over),
                  array->slot < u->ninputs ? arena_printf(u->arena, "slot %d", number)
                                           : temp_arg(u, number));
    return name;
}

/* Of the array: a row is of such. */
static const FdType *element_of(const Def *d)
{
    const FdType *t = d->body->type;
    while (d->abreast && t->record) t = t->fields[0];
    return t;
}

const char *gen_output(Gen *g, const Def *d)
{
    const UnitRing *ring = ring_of(g, d);
    const FdType *t = element_of(d);
    if (ring) return ring_buffer(g, ring, t);
    const char *name =
        d->copy ? arena_printf(g->u->arena, "out%d", unit_kept(g->u, d->temp) - 1) : "out";
    gen_add_param(g, buffer_param(g->u, name, t, true),
                  d->temp < 0 ? "out" : temp_arg(g->u, d->temp));
    return name;
}

/* The name of one plane of a buffer with `count` elements of type t; of a scalar's, the buffer's.
 */
static const char *gen_plane(Gen *g, const char *buffer, const FdType *t, int leaf, Num *count,
                             bool writable)
{
    Arena *a = g->u->arena;
    if (!t->record) return buffer;
    const char *name = arena_printf(a, "%s_p%d", buffer, leaf);
    for (const KirStmt *s = g->head.first; s; s = s->next)
        if (s->name && strcmp(s->name, name) == 0) return name;
    const char *offset =
        arena_printf(a, "long %s", num_text(g->u, plan_plane(g->u, t, leaf, count)));
    kir_plane(a, &g->head, kir_type((int)fd_type_leaf(t, leaf), 1), name, buffer,
              leaf ? gen_param(g, arena_printf(a, "%s_at%d", buffer, leaf), SC_LONG, offset)
                   : kir_int(a, 0),
              writable);
    return name;
}

static Num *array_count(Unit *u, const FdNode *array)
{
    Num *count = num_int(u, 1);
    for (int d = 0; d < array->type->nparams; d++)
        count = num_op(u, FD_OP_MUL, count, plan_array_n(u, array, d));
    return count;
}

static const char *array_plane(Gen *g, const FdNode *array, int leaf)
{
    const UnitRing *ring = ring_of_array(g, array);
    Num *count = ring ? ring->elements : array_count(g->u, array);
    return gen_plane(g, access_buffer(g, array), element_type(array), leaf, count,
                     ring || is_output(g->u, array));
}

/* ---- where a definition's elements go --------------------------------------------------------- */

/* How far a variable is in its range, if that is known. */
static const KirExpr *bound_at(const Gen *g, const FdNode *var)
{
    for (size_t i = g->vars.len; i > 0; i--)
        if (g->vars.data[i - 1].var == var) return g->vars.data[i - 1].at;
    return NULL;
}

/* How far the bound position is in variable i of a definition. */
static const KirExpr *output_at(Gen *g, const Def *d, int i, const KirExpr *lo)
{
    const KirExpr *at = bound_at(g, d->vars[i]);
    return at ? at : kir_arith(g->u->arena, FD_OP_SUB, gen_index(g, d->vars[i]), lo);
}

static const KirExpr *ring_offset(Gen *g, const Def *d, const UnitRing *ring)
{
    Arena *a = g->u->arena;
    const KirExpr *lo, *n;
    gen_range(g, &d->doms[ring->dim], d->vars[ring->dim], &lo, &n);
    const KirExpr *offset = access_ring_row(g, ring, output_at(g, d, ring->dim, lo));
    for (int i = 0; i < d->nvars; i++) {
        if (i == ring->dim) continue;
        gen_range(g, &d->doms[i], d->vars[i], &lo, &n);
        offset = kir_arith(a, FD_OP_MUL, offset, n);
        offset = kir_arith(a, FD_OP_ADD, offset, output_at(g, d, i, lo));
    }
    return kir_arith(a, FD_OP_ADD, offset, ring->slab);
}

/* In the whole recurrence. */
static const KirExpr *slice_offset(Gen *g, const Def *d)
{
    const FdNode *index[FD_MAX_RANK] = {d->slice};
    for (int i = 0; i < d->nvars; i++) index[i + 1] = d->vars[i];
    return access_offset(g, def_given(d)->node->self, index);
}

/* Horner over (index - lo) of variables [from, to). */
static const KirExpr *some_variables(Gen *g, const Def *d, int from, int to)
{
    Arena *a = g->u->arena;
    const KirExpr *offset = kir_int(a, 0);
    for (int i = from; i < to; i++) {
        const KirExpr *lo, *n;
        gen_range(g, &d->doms[i], d->vars[i], &lo, &n);
        if (i > from) offset = kir_arith(a, FD_OP_MUL, offset, n);
        offset = kir_arith(a, FD_OP_ADD, offset, output_at(g, d, i, lo));
    }
    return offset;
}

const KirExpr *gen_output_offset(Gen *g, const Def *d)
{
    Unit *u = g->u;
    const UnitRing *ring = ring_of(g, d);
    if (ring) return ring_offset(g, d, ring);
    if (into(u, d)) return access_offset(g, into(u, d), d->vars);
    if (d->slice) return slice_offset(g, d);
    const KirExpr *at = some_variables(g, d, 0, d->nvars);
    return d->abreast ? kir_arith(g->u->arena, FD_OP_MUL, at, kir_int(g->u->arena, d->abreast))
                      : at;
}

Num *access_output_length(Gen *g, const Def *d, int dim)
{
    return plan_elements(g->u, d->nvars - dim - 1, d->doms + dim + 1);
}

const KirExpr *access_output_row(Gen *g, const Def *d, int dim)
{
    const KirExpr *n = gen_number(g, "out_row", access_output_length(g, d, dim));
    return kir_arith(g->u->arena, FD_OP_MUL, some_variables(g, d, 0, dim + 1), n);
}

const KirExpr *access_output_in_row(Gen *g, const Def *d, int dim)
{
    return some_variables(g, d, dim + 1, d->nvars);
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* Who needs what is gathered, of a vector that is in part behind its row's end. Rows side by side read what lies near in
 * the turns before and behind, so their loads are not far. */
static const KirExpr *needed(const Gen *g)
{
    return g->uneven && g->uneven == g->lane_var ? g->mask : NULL;
}

/* One leaf of the elements at w. */
static const KirExpr *load_leaf(Gen *g, const FdNode *read, KirType t, const char *plane,
                                const Where *w)
{
    Arena *a = g->u->arena;
    if (w->each) return kir_gather(a, t, plane, w->offset, w->each, needed(g));
    if (w->step && t.kind != SC_HALF) return kir_steps(a, t, plane, w->offset, w->step);
    if (w->step) {
        Where each = offset_gather(g, read);
        return kir_gather(a, t, plane, each.offset, each.each, needed(g));
    }
    if (!w->whole) return kir_load(a, t, plane, w->offset);
    const KirExpr *v = kir_name(a, t, fresh_name(g->u, "v"));
    KirBlock inside = {0}, apart = {0};
    kir_decl(a, g->block, t, v->name, NULL);
    kir_set(a, &inside, v, kir_load(a, t, plane, w->offset));
    GenScope s = gen_enter(g, &apart);
    Where each = offset_gather(g, read);
    kir_set(a, g->block, v, kir_gather(a, t, plane, each.offset, each.each, needed(g)));
    gen_leave(g, s);
    kir_if(a, g->block, w->whole, inside, &apart);
    return v;
}

/* The leaves of type t from *leaf on, as one value; read: NULL of a scalar. */
static const KirExpr *load(Gen *g, const FdNode *array, const FdNode *read, const FdType *t,
                           int *leaf, const Where *w)
{
    Arena *a = g->u->arena;
    if (!t->record)
        return load_leaf(g, read, kir_type((int)t->scalar, w->lanes),
                         array_plane(g, array, (*leaf)++), w);
    const KirExpr **fields = arena_array(a, const KirExpr *, t->nfields + 1);
    for (int i = 0; i < t->nfields; i++) fields[i] = load(g, array, read, t->fields[i], leaf, w);
    return kir_make(a, gen_type_in(g->u, t, w->lanes), fields);
}

static const KirExpr *load_element(Gen *g, const FdNode *read, const FdType *t, int leaf)
{
    const KirExpr *in_row;
    const char *row = batch_row(g, read, &in_row);
    if (row) return kir_load(g->u->arena, kir_type((int)t->scalar, g->lanes), row, in_row);
    access_buffer(g, read->fn);
    Where w = offset_of_read(g, read);
    if (t->record) w.offset = gen_variable(g, "at", w.offset);
    return load(g, read->fn, read, t, &leaf, &w);
}

const KirExpr *gen_read(Gen *g, const FdNode *n)
{
    int leaf = 0;
    if (n->kind == FD_SCALAR) {
        Where w = {.offset = kir_int(g->u->arena, 0), .lanes = 1};
        return load(g, n, NULL, n->type, &leaf, &w);
    }
    return load_element(g, n, n->type, 0);
}

/* The first leaf of a field among those of the element read. */
static int first_leaf(const FdNode *n)
{
    if (is_read(n)) return 0;
    int leaf = first_leaf(n->args[0]);
    for (int i = 0; i < n->fn->slot; i++) leaf += fd_type_leaves(n->args[0]->type->fields[i]);
    return leaf;
}

const KirExpr *gen_read_field(Gen *g, const FdNode *n)
{
    return load_element(g, field_of_read(n), n->type, first_leaf(n));
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Plane `leaf` of what a definition gives; of several results, each has a buffer of its own. */
static const char *output_plane(Gen *g, const Def *d, int leaf)
{
    Arena *a = g->u->arena;
    const FdType *t = d->body->type;
    const FdNode *to = into(g->u, d);
    const UnitRing *ring = ring_of(g, d);
    Num *count = ring ? ring->elements
                 : to ? array_count(g->u, to)
                      : plan_elements(g->u, d->nvars, d->doms);
    if (d->temp >= 0 || !g->u->nbeside) return gen_plane(g, gen_output(g, d), t, leaf, count, true);
    int k = 0;
    for (; leaf >= fd_type_leaves(t->fields[k]); k++) leaf -= fd_type_leaves(t->fields[k]);
    KirParam p = buffer_param(g->u, arena_printf(a, "out%d", k), t->fields[k], true);
    gen_add_param(g, p, arena_printf(a, "out %d", k));
    return gen_plane(g, p.name, t->fields[k], leaf, count, true);
}

typedef struct Stores {
    const Def *d;
    const KirExpr *at; /* NULL: where the definition's element goes */
    int leaf;          /* that comes next */
    bool late;         /* all is computed before any of it is stored */
    VEC(const KirExpr *) values;
} Stores;

static void store_leaf(Gen *g, Stores *s, const KirExpr *e)
{
    const KirExpr *in_row;
    const char *row = batch_out(g, s->d, &in_row);
    if (row) {
        kir_store(g->u->arena, g->block, row, in_row, e);
        return;
    }
    const char *plane = output_plane(g, s->d, s->leaf++);
    const KirExpr *at = s->at ? s->at : gen_output_offset(g, s->d);
    (g->stream ? kir_stream : kir_store)(g->u->arena, g->block, plane, at, e);
}

/* Stores a value of type t from the next plane on: of node n, or e where that is NULL. */
static void store(Gen *g, Stores *s, const FdType *t, const FdNode *n, const KirExpr *e)
{
    Arena *a = g->u->arena;
    if (t->record) {
        bool made = n && is_make(n); /* whose fields may have lanes */
        if (!made && n) e = gen_variable(g, "v", gen_whole(g, n));
        for (int i = 0; i < t->nfields; i++)
            store(g, s, t->fields[i], made ? n->args[i] : NULL, made ? NULL : kir_member(a, e, i));
        return;
    }
    if (n) e = gen_whole(g, n);
    if (g->lane_var) e = kir_splat(a, g->lanes, e);
    if (s->late)
        vec_push(&s->values, gen_variable(g, "v", e));
    else
        store_leaf(g, s, e);
}

const KirExpr *gen_skew(Gen *g, const Def *d, const KirExpr *lanes)
{
    Arena *a = g->u->arena;
    const KirType idx = kir_type(KIR_IDX, 1);
    const KirExpr *out = kir_name(a, idx, output_plane(g, d, 0));
    const KirExpr *args[] = {out, gen_output_offset(g, d), lanes};
    return gen_variable(g, "skew", kir_intrinsic(a, idx, INTR_SKEW, args));
}

/* A row's elements, or those of as many rows as there are lanes: one after the other in memory. */
static void store_row(Gen *g, int n, const char *out, const KirExpr *at, const KirExpr *const *row)
{
    Arena *a = g->u->arena;
    const KirExpr *e[FD_ABREAST], *step = kir_int(a, 1);
    if (g->lane_var) {
        kir_in_turn(a, n, row, e);
        step = kir_lane_count(a, g->lanes);
        row = e;
    }
    for (int i = 0; i < n; i++) {
        const KirExpr *way = kir_arith(a, FD_OP_MUL, step, kir_int(a, i));
        kir_store(a, g->block, out, kir_arith(a, FD_OP_ADD, at, way), row[i]);
    }
}

/* Of one result, or of several beside each other. */
static void store_abreast(Gen *g, const Def *d)
{
    Arena *a = g->u->arena;
    const KirExpr *at = gen_variable(g, "at", gen_output_offset(g, d)), *e[FD_ABREAST];
    bool several = d->temp < 0 && g->u->nbeside;
    for (int k = 0; k < (several ? g->u->nbeside : 1); k++) {
        const FdNode *row = several ? d->body->args[k] : d->body;
        for (int i = 0; i < d->abreast; i++) {
            e[i] = gen_whole(g, row->args[i]);
            if (g->lane_var) e[i] = kir_splat(a, g->lanes, e[i]);
            e[i] = gen_variable(g, "v", e[i]);
        }
        KirParam p = buffer_param(g->u, arena_printf(a, "out%d", k), row->type->fields[0], true);
        if (several) gen_add_param(g, p, arena_printf(a, "out %d", k));
        store_row(g, d->abreast, several ? p.name : gen_output(g, d), at, e);
    }
}

void gen_store(Gen *g, const Def *d)
{
    const FdType *t = d->body->type;
    if (d->abreast) {
        store_abreast(g, d);
        return;
    }
    Stores s = {.d = d, .late = def_is_once(g->u, d) && (g->u->over || t->record)};
    if (t->record) s.at = gen_variable(g, "at", gen_output_offset(g, d));
    store(g, &s, t, d->body, NULL);
    for (size_t i = 0; i < s.values.len; i++) store_leaf(g, &s, s.values.data[i]);
    vec_free(&s.values);
}
