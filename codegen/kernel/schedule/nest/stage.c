/* Lowering staged loops (nest.h): blocks of a reduction, whose operands are in local memory.
 *
 *   tile[2][along][across]   two blocks in turn: one is used while work-items fetch the next
 *   next[e]                  an item's elements of the next block, in registers until they are put
 *
 *   fetch and put the first block; all wait
 *   whole blocks: fetch the next, use this one, put the next, all wait
 *   what is left is used
 *
 * Neighbours among the items fetch neighbours in memory. What an element needs of its place across is worked
 * out before the loop. What lies beyond an axis' end repeats its last element. */
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Fetch {
    int hold;
    int64_t size, row;   /* elements of a tile, of its rows in memory */
    int64_t items, each; /* of a group; elements of each, the last perhaps not there */
    bool along,
        even; /* rows lie along the reduction; items take the same place in rows in all turns */
    const char *next,
        *at; /* arrays: elements, and the values of the variables of `across` (a stem) */
} Fetch;

typedef struct Stages {
    const NestStep *loop;
    int n;
    Fetch of[NEST_HOLDS];
    const KirExpr *id, *stage;
    const NestStep *uses; /* of a block */
} Stages;

static const KirExpr *constant(Lower *l, int64_t v)
{
    return kir_int(l->a, v);
}

static KirType element(const NestHold *h)
{
    return kir_type((int)result_kind(h->value), 1);
}

/* Do neighbours in memory lie along the reduction? */
static bool lies_along(const Nest *n, const NestHold *h)
{
    const NestAxis *along = &n->axes[h->along];
    return reads_along(h->value, along->vars[along->nvars - 1]);
}

/* Rows of 16 bytes more where columns are written: these fall into different banks, and runs stay aligned. */
static const KirExpr *pitch_of(Lower *l, const NestHold *h)
{
    int64_t more = 16 / (int64_t)kir_bytes(element(h));
    const KirExpr *width = nest_number(l, "width", h->width);
    return lies_along(l->n, h) ? nest_add(l, width, kir_int(l->a, more)) : width;
}

static Fetch fetch_of(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    Num *items = num_op(l->u, FD_OP_MUL, nest_group_items(l, 0), nest_group_items(l, 1));
    Fetch f = {.hold = hold, .along = lies_along(l->n, h)};
    f.size = h->depth->value.i * h->width->value.i;
    f.row = f.along ? h->depth->value.i : h->width->value.i;
    f.items = items->value.i;
    f.each = (f.size + f.items - 1) / f.items;
    f.even = f.items % f.row == 0;
    f.next = fresh_name(l->u, "next");
    f.at = fresh_name(l->u, "at");
    return f;
}

/* Element number u of an item: its place in its row, and its row. */
static void place_of_element(Lower *l, const Stages *s, const Fetch *f, const KirExpr *u,
                             const KirExpr **in, const KirExpr **row)
{
    if (f->even) {
        *in = nest_op(l, FD_OP_REM, s->id, constant(l, f->row));
        *row = nest_add(l, nest_op(l, FD_OP_DIV, s->id, constant(l, f->row)),
                        nest_mul(l, u, constant(l, f->items / f->row)));
        return;
    }
    const KirExpr *e = nest_add(l, s->id, nest_mul(l, u, constant(l, f->items)));
    *in = nest_op(l, FD_OP_REM, e, constant(l, f->row));
    *row = nest_op(l, FD_OP_DIV, e, constant(l, f->row));
}

typedef void OnElement(Lower *l, const Stages *s, const Fetch *f, const KirExpr *u,
                       const KirExpr *along, const KirExpr *across, const void *ctx);

/* All elements of an item, written out. */
static void each_element(Lower *l, const Stages *s, const Fetch *f, OnElement *what,
                         const void *ctx)
{
    const KirExpr *u = kir_name(l->a, idx, fresh_name(l->u, "u")), *in, *row;
    KirBlock body = {0}, *to = &body, there = {0};
    bool part = f->size % f->items != 0;
    GenScope scope = gen_enter(&l->g, part ? &there : to);
    place_of_element(l, s, f, u, &in, &row);
    what(l, s, f, u, f->along ? in : row, f->along ? row : in, ctx);
    gen_leave(&l->g, scope);
    if (part) {
        const KirExpr *e = nest_add(l, s->id, nest_mul(l, u, constant(l, f->items)));
        kir_if(l->a, to, nest_op(l, FD_OP_LT, e, constant(l, f->size)), there, NULL);
    }
    kir_for(l->a, l->g.block, u->name, constant(l, 0), constant(l, f->each), constant(l, 1), true,
            body);
}

/* ---- before the loop --------------------------------------------------------------------------- */

/* Where an element is across: the same for all of an item's, or for each its own. */
static bool is_one_place(const Fetch *f)
{
    return f->even && !f->along;
}

static void set_place(Lower *l, const Stages *s, const Fetch *f, const KirExpr *u,
                      const KirExpr *along, const KirExpr *across, const void *ctx)
{
    const NestHold *h = &l->n->holds[f->hold];
    const NestAxis *x = &l->n->axes[h->across];
    NestPlace *p = &l->places[h->across], before = *p;
    (void)s, (void)along, (void)ctx;
    p->at = nest_add(l, nest_way(l, h->across, 0, NEST_OUTER), across);
    p->clamps = true;
    nest_bind(l, h->across);
    for (int i = 0; i < x->nvars; i++)
        kir_set(l->a, l->g.block, kir_elem(l->a, idx, arena_printf(l->a, "%s%d", f->at, i), 1, &u),
                gen_index(&l->g, x->vars[i]));
    *p = before;
}

static void prepare(Lower *l, Stages *s, const Fetch *f)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[f->hold];
    const NestAxis *x = &l->n->axes[h->across];
    KirType t = element(h);
    const KirExpr *dims[] = {constant(l, 2), nest_number(l, "depth", h->depth), pitch_of(l, h)};
    const KirExpr *each = constant(l, f->each),
                  *places = constant(l, is_one_place(f) ? 1 : f->each);
    l->kept[f->hold] =
        (NestKept){.name = fresh_name(l->u, h->name), .depth = -1, .stage = s->stage};
    kir_array(l->a, &g->head, t, l->kept[f->hold].name, true, 3, dims);
    kir_array(l->a, g->block, t, f->next, false, 1, &each);
    for (int i = 0; i < x->nvars; i++)
        kir_array(l->a, g->block, idx, arena_printf(l->a, "%s%d", f->at, i), false, 1, &places);
    if (!is_one_place(f)) {
        each_element(l, s, f, set_place, NULL);
        return;
    }
    const KirExpr *in, *row;
    KirBlock b = {0};
    GenScope scope = gen_enter(g, &b);
    place_of_element(l, s, f, constant(l, 0), &in, &row);
    set_place(l, s, f, constant(l, 0), row, in, NULL);
    gen_leave(g, scope);
    kir_if(l->a, g->block, NULL, b, NULL);
}

/* ---- a block ----------------------------------------------------------------------------------- */

static void bind_along(Lower *l, const Fetch *f, const KirExpr *block, const KirExpr *along)
{
    int axis = l->n->holds[f->hold].along;
    NestPlace *p = &l->places[axis], before = *p;
    p->at = nest_add(l, block, along);
    p->clamps = true;
    nest_bind(l, axis);
    *p = before;
}

static void fetch_element(Lower *l, const Stages *s, const Fetch *f, const KirExpr *u,
                          const KirExpr *along, const KirExpr *across, const void *block)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[f->hold];
    NestPlace *p = &l->places[h->across], before = *p;
    (void)s, (void)across;
    if (!(f->along && f->even)) bind_along(l, f, block, along);
    p->placed = f->at;
    p->copy = is_one_place(f) ? constant(l, 0) : u;
    nest_bind(l, h->across);
    const KirExpr *value = gen_value(g, h->value);
    kir_set(l->a, g->block, kir_elem(l->a, value->type, f->next, 1, &u), value);
    *p = before;
}

static void fetch(Lower *l, const Stages *s, const KirExpr *block)
{
    for (int i = 0; i < s->n; i++) {
        const Fetch *f = &s->of[i];
        KirBlock b = {0};
        GenScope scope = gen_enter(&l->g, &b);
        const KirExpr *in, *row;
        place_of_element(l, s, f, constant(l, 0), &in, &row);
        if (f->along && f->even) bind_along(l, f, block, in); /* the same for all */
        each_element(l, s, f, fetch_element, block);
        gen_leave(&l->g, scope);
        kir_if(l->a, l->g.block, NULL, b, NULL);
    }
}

static void put_element(Lower *l, const Stages *s, const Fetch *f, const KirExpr *u,
                        const KirExpr *along, const KirExpr *across, const void *stage)
{
    KirType t = element(&l->n->holds[f->hold]);
    const KirExpr *at[] = {stage, along, across};
    (void)s;
    kir_set(l->a, l->g.block, kir_elem(l->a, t, l->kept[f->hold].name, 3, at),
            kir_elem(l->a, t, f->next, 1, &u));
}

static void put(Lower *l, const Stages *s, const KirExpr *stage)
{
    for (int i = 0; i < s->n; i++) each_element(l, s, &s->of[i], put_element, stage);
}

/* What is taken of the block that begins here; all of it, or up to the end. */
static void use(Lower *l, const Stages *s, bool whole)
{
    int nopen = l->nopen;
    NestPlace *p = &l->places[s->loop->axis];
    p->span = nest_number(l, "step", s->loop->step);
    nest_open(l, s->loop, constant(l, 0), false);
    for (int i = 0; i < s->n; i++) l->kept[s->of[i].hold].depth = l->nopen;
    NestStep inner = *s->uses;
    inner.next = NULL;
    if (whole) inner.bind = NEST_UNROLL, inner.count = s->loop->step;
    nest_steps(l, &inner);
    for (int i = 0; i < s->n; i++) l->kept[s->of[i].hold].depth = -1;
    l->nopen = nopen;
}

static Stages stages_of(Lower *l, const NestStep *loop)
{
    Gen *g = &l->g;
    Stages s = {.loop = loop};
    s.id = gen_variable(g, "id", nest_group_id(l));
    s.stage = kir_name(l->a, idx, fresh_name(l->u, "stage"));
    kir_decl(l->a, g->block, idx, s.stage->name, constant(l, 0));
    for (const NestStep *in = loop->first; in; in = in->next)
        if (in->kind == NEST_HOLD)
            s.of[s.n++] = fetch_of(l, in->hold);
        else
            s.uses = in;
    for (int i = 0; i < s.n; i++) prepare(l, &s, &s.of[i]);
    return s;
}

void nest_in_stages(Lower *l, const NestStep *loop)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    NestPlace *p = &l->places[loop->axis];
    Stages s = stages_of(l, loop);
    const KirExpr *step = nest_number(l, "step", loop->step), *begin = p->at,
                  *end = gen_variable(g, "end", nest_range_end(l, loop->axis)),
                  *other = nest_op(l, FD_OP_SUB, constant(l, 1), s.stage);
    const KirExpr *blocks = nest_op(l, FD_OP_DIV, nest_op(l, FD_OP_SUB, end, begin), step);
    const KirExpr *whole = gen_variable(g, "whole", nest_add(l, begin, nest_mul(l, blocks, step)));
    KirBlock first = {0}, body = {0}, rest = {0};
    GenScope scope = gen_enter(g, &first);
    fetch(l, &s, begin);
    put(l, &s, s.stage);
    gen_leave(g, scope);
    kir_if(a, g->block, nest_op(l, FD_OP_LT, begin, end), first, NULL);
    nest_barrier(l);

    const KirExpr *at = kir_name(a, idx, nest_counter(l, loop->axis));
    KirBlock more = {0}, fill = {0};
    scope = gen_enter(g, &body);
    p->at = at;
    p->limit = end;
    const KirExpr *next = gen_variable(g, "more", nest_add(l, at, step));
    const KirExpr *exists = nest_op(l, FD_OP_LT, next, end);
    GenScope in = gen_enter(g, &more);
    fetch(l, &s, next);
    gen_leave(g, in);
    kir_if(a, &body, exists, more, NULL);
    use(l, &s, true);
    in = gen_enter(g, &fill);
    put(l, &s, other);
    gen_leave(g, in);
    kir_if(a, &body, exists, fill, NULL);
    nest_barrier(l);
    kir_set(a, &body, s.stage, other);
    gen_leave(g, scope);
    kir_for(a, g->block, at->name, begin, whole, step, false, body);

    scope = gen_enter(g, &rest);
    p->at = whole;
    use(l, &s, false);
    gen_leave(g, scope);
    kir_if(a, g->block, NULL, rest, NULL);
}

/* ---- registers --------------------------------------------------------------------------------- */

/* Local memory in stages: aligned for runs. */
static bool is_staged(const Lower *l, int hold)
{
    return l->kept[hold].depth >= 0 && l->kept[hold].stage;
}

/* Of a tile in local memory runs lie side by side: each is one load of a vector. */
bool nest_fill_by_runs(Lower *l, int hold)
{
    const Nest *n = l->n;
    const NestHold *h = &n->holds[hold];
    const NestRegs *regs = NULL;
    int tile = 0;
    for (int i = 0; i < n->nregs; i++)
        if (n->regs[i].axis == h->across) regs = &n->regs[i];
    while (tile < n->nholds && !(is_staged(l, tile) && n->holds[tile].value == h->value)) tile++;
    if (!regs || !regs->run || !fd_is_const(regs->run) || tile == n->nholds) return false;
    int run = (int)regs->run->value.i;
    if ((run != 2 && run != 4) || (size_t)run * kir_bytes(element(h)) > 16) return false;
    Arena *a = l->a;
    const NestKept *k = &l->kept[tile];
    const KirExpr *copy = kir_name(a, idx, fresh_name(l->u, "u"));
    const KirExpr *row[] = {
        k->stage, nest_way(l, h->along >= 0 ? h->along : n->holds[tile].along, k->depth, NEST_ALL)};
    const KirExpr *at = nest_add(l, nest_way(l, h->across, 0, NEST_INNER),
                                 nest_copy_way(l, copy, regs->step, regs->run));
    const KirExpr *from = nest_add(l, kir_elem(a, idx, k->name, 2, row), at);
    KirType t = kir_type(element(h).kind, run);
    KirBlock b = {0};
    kir_store(a, &b, l->kept[hold].name, copy, kir_intrinsic(a, t, INTR_RUN, &from));
    kir_for(a, l->g.block, copy->name, kir_int(a, 0), nest_number(l, "width", h->width),
            kir_int(a, run), true, b);
    return true;
}
