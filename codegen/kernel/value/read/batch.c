/* Rows of arrays at the positions that are in lanes: copied into private memory with the lanes fastest, so that reads
 * are vectors, and those of the result back.
 *
 *   memory    a(b, 0) a(b, 1) ..  a(b + 1, 0) a(b + 1, 1) ..       private    a(b, 0) a(b + 1, 0) ..  a(b, 1) a(b + 1, 1) ..
 *
 * Squares are turned in registers, half a vector wide: turning takes LLVM more than in proportion, and short rows have
 * such ones. The last of a row overlaps the one before. Rows that are shorter go element by element. */
#include "access.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *mul(Gen *g, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(g->u->arena, FD_OP_MUL, x, y);
}

static const KirExpr *add(Gen *g, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(g->u->arena, FD_OP_ADD, x, y);
}

/* ---- reads and stores ---------------------------------------------------------------------------- */

const char *batch_row(Gen *g, const FdNode *read, const KirExpr **at)
{
    const GenBatch *b = g->batch;
    if (!b || !g->lane_var || !fd_uses_var(read, g->lane_var)) return NULL;
    for (int i = 0; i < b->of.n; i++) {
        if (b->of.reads[i]->fn != read->fn) continue;
        *at = mul(g, access_in_row(g, read, b->of.rows[i]), kir_lane_count(g->u->arena, g->lanes));
        return b->names[i];
    }
    return NULL;
}

const char *batch_out(Gen *g, const Def *d, const KirExpr **at)
{
    const GenBatch *b = g->batch;
    if (!b || d != b->def || !g->lane_var || !b->out) return NULL;
    *at = mul(g, access_output_in_row(g, d, b->of.dim), kir_lane_count(g->u->arena, g->lanes));
    return b->out;
}

/* ---- there and back ------------------------------------------------------------------------------ */

typedef struct Rows {
    bool back; /* from private memory to the array */
    KirType t; /* of an element */
    const char *memory, *row;
    const KirExpr *begin, *length; /* of the first position's row; of all */
} Rows;

static int lanes_of_squares(const Gen *g)
{
    return g->lanes == KIR_V4 ? KIR_V8 : g->lanes;
}

static const KirExpr *in_memory(Gen *g, const Rows *r, const KirExpr *lane, const KirExpr *element)
{
    return add(g, r->begin, add(g, mul(g, lane, r->length), element));
}

static const KirExpr *in_row(Gen *g, const KirExpr *lane, const KirExpr *element)
{
    return add(g, mul(g, element, kir_lane_count(g->u->arena, g->lanes)), lane);
}

/* Vectors of a square are rows of memory, or of private memory. */
static void move(Gen *g, const Rows *r, const char *square, KirType t, const KirExpr *lane,
                 const KirExpr *element, bool load)
{
    Arena *a = g->u->arena;
    const KirExpr *u = kir_name(a, idx, fresh_name(g->u, "u"));
    bool memory = load != r->back;
    KirBlock each = {0};
    GenScope scope = gen_enter(g, &each);
    const KirExpr *at =
        memory ? in_memory(g, r, add(g, lane, u), element) : in_row(g, lane, add(g, element, u));
    const KirExpr *vector = kir_elem(a, t, square, 1, &u);
    const char *name = memory ? r->memory : r->row;
    if (load)
        kir_set(a, &each, vector, kir_load(a, t, name, at));
    else
        kir_store(a, &each, name, at, vector);
    gen_leave(g, scope);
    kir_for(a, g->block, u->name, kir_int(a, 0), kir_lane_count(a, t.lanes), kir_int(a, 1), true,
            each);
}

static void square(Gen *g, const Rows *r, const KirExpr *lane, const KirExpr *element)
{
    Arena *a = g->u->arena;
    KirType t = kir_type(r->t.kind, lanes_of_squares(g));
    const char *name = fresh_name(g->u, "square");
    const KirExpr *lanes = kir_lane_count(a, t.lanes), *all = kir_name(a, t, name);
    kir_array(a, g->block, t, name, false, 1, &lanes);
    move(g, r, name, t, lane, element, true);
    kir_eval(a, g->block, kir_intrinsic(a, t, INTR_SQUARE, &all));
    move(g, r, name, t, lane, element, false);
}

/* Of all positions, elements from this one on. */
static KirBlock squares_at(Gen *g, const Rows *r, const KirExpr *element)
{
    Arena *a = g->u->arena;
    const KirExpr *lane = kir_name(a, idx, fresh_name(g->u, "l"));
    KirBlock all = {0}, one = {0};
    GenScope scope = gen_enter(g, &one);
    square(g, r, lane, element);
    gen_leave(g, scope);
    kir_for(a, &all, lane->name, kir_int(a, 0), kir_lane_count(a, g->lanes),
            kir_lane_count(a, lanes_of_squares(g)), false, one);
    all.last->rare = true; /* long enough as it is */
    return all;
}

/* An element of all rows: gathered, or put lane by lane. */
static void element_of(Gen *g, const Rows *r, const KirExpr *element)
{
    Arena *a = g->u->arena;
    const KirExpr *zero = kir_int(a, 0), *lanes = kir_lane_count(a, g->lanes);
    if (!r->back) {
        KirType ints = kir_type(SC_INT, g->lanes), t = kir_type(r->t.kind, g->lanes);
        const KirExpr *length = kir_convert(a, kir_type(SC_INT, 1), r->length);
        const KirExpr *args[] = {kir_iota(a, ints), kir_splat(a, g->lanes, length)};
        const KirExpr *each = gen_variable(g, "each", kir_op(a, FD_OP_MUL, ints, 2, args));
        kir_store(a, g->block, r->row, in_row(g, zero, element),
                  kir_gather(a, t, r->memory, in_memory(g, r, zero, element), each, NULL));
        return;
    }
    const KirExpr *lane = kir_name(a, idx, fresh_name(g->u, "l"));
    KirBlock one = {0};
    GenScope scope = gen_enter(g, &one);
    kir_store(a, &one, r->memory, in_memory(g, r, lane, element),
              kir_load(a, r->t, r->row, in_row(g, lane, element)));
    gen_leave(g, scope);
    kir_for(a, g->block, lane->name, zero, lanes, kir_int(a, 1), true, one);
}

static KirBlock elements(Gen *g, const Rows *r, const KirExpr *from)
{
    Arena *a = g->u->arena;
    const KirExpr *element = kir_name(a, idx, fresh_name(g->u, "e"));
    KirBlock all = {0}, each = {0};
    GenScope scope = gen_enter(g, &each);
    element_of(g, r, element);
    gen_leave(g, scope);
    kir_for(a, &all, element->name, from, r->length, kir_int(a, 1), false, each);
    return all;
}

/* What is left of a row is one more square, which overlaps the one before, unless it is few elements. */
static KirBlock squares(Gen *g, const Rows *r)
{
    enum { FEW = 2 };
    Arena *a = g->u->arena;
    const KirExpr *step = kir_lane_count(a, lanes_of_squares(g)),
                  *element = kir_name(a, idx, fresh_name(g->u, "e"));
    KirBlock all = {0};
    GenScope scope = gen_enter(g, &all);
    const KirExpr *rest = gen_variable(g, "rest", kir_arith(a, FD_OP_REM, r->length, step)),
                  *whole = gen_variable(g, "whole", kir_arith(a, FD_OP_SUB, r->length, rest)),
                  *last = kir_arith(a, FD_OP_SUB, r->length, step);
    kir_for(a, &all, element->name, kir_int(a, 0), whole, step, false, squares_at(g, r, element));
    all.last->rare = true;
    KirBlock more = squares_at(g, r, gen_variable(g, "last", last)), few = elements(g, r, whole);
    kir_if(a, &all, kir_arith(a, FD_OP_GT, rest, kir_int(a, FEW)), more, &few);
    gen_leave(g, scope);
    return all;
}

static void turn(Gen *g, const Rows *r)
{
    Arena *a = g->u->arena;
    const KirExpr *least = kir_lane_count(a, lanes_of_squares(g));
    KirBlock fast = squares(g, r), slow = elements(g, r, kir_int(a, 0));
    kir_if(a, g->block, kir_arith(a, FD_OP_GE, r->length, least), fast, &slow);
}

static Rows rows_of(const char *memory, const char *row, ScalarKind k, bool back)
{
    return (Rows){.back = back, .t = kir_type((int)k, 1), .memory = memory, .row = row};
}

static const char *rows_array(Gen *g, const char *stem, ScalarKind k, Num *most)
{
    const char *name = fresh_name(g->u, stem);
    const KirExpr *size =
        mul(g, gen_number(g, "most", most), kir_lane_count(g->u->arena, g->lanes));
    kir_array(g->u->arena, g->block, kir_type((int)k, 1), name, false, 1, &size);
    return name;
}

void gen_batch_begin(Gen *g, GenBatch *b, Num *most)
{
    for (int i = 0; i < b->of.n; i++) {
        const FdNode *read = b->of.reads[i];
        int dim = b->of.rows[i];
        b->names[i] = rows_array(g, "rows", result_kind(read), most);
        Rows r = rows_of(access_buffer(g, read->fn), b->names[i], result_kind(read), false);
        r.begin = gen_variable(g, "from", access_row(g, read, dim));
        r.length = access_stride(g, read->fn, dim);
        turn(g, &r);
    }
    b->out = NULL; /* rows of one element lie side by side */
    if (b->of.dim < b->def->nvars - 1)
        b->out = rows_array(g, "made", result_kind(b->def->body), most);
    g->batch = b;
}

void gen_batch_end(Gen *g, const GenBatch *b)
{
    const Def *d = b->def;
    Num *length = access_output_length(g, d, b->of.dim);
    g->batch = NULL;
    if (!b->out) return;
    Rows r = rows_of(gen_output(g, d), b->out, result_kind(d->body), true);
    r.begin = gen_variable(g, "to", access_output_row(g, d, b->of.dim));
    r.length = gen_number(g, "out_row", length);
    turn(g, &r);
}
