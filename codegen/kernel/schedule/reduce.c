/* Few outputs, long reductions: sums of everything, of rows. The reduction is split into parts,
 * each with several vectors of partial results along its lane variable; a second kernel combines
 * the parts in order.
 *
 *   before   reduce add (i) x(i) * y(i)
 *   after    part p: acc[u] += x[i + u * VW] * y[..] over its share of i; lanes and
 *            vectors combined; then out = part[0] + part[1] + ..
 *
 * Needs: an associative, commutative operation, closed ranges. Keeps: the same bits for the same
 * device (the number of parts depends on extents and compute units only).
 */
#include <string.h>

#include "../unit.h"

enum { VECTORS = 4 }; /* in flight: hides the latency of an addition */

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Sum {
    const Def *d;
    const FdNode *reduce;
    const FdNode *lane;         /* the variable in lanes */
    const KirExpr *begin, *end; /* of this part's share of vars[0] */
    const KirExpr *tail;        /* scalar accumulator */
    KirType vec;
} Sum;

static const KirExpr *acc_at(Arena *a, const Sum *s, const KirExpr *i)
{
    return kir_elem(a, s->vec, "acc", 1, &i);
}

/* for (v = from; v < to; v += VECTORS * VW) acc[u] = acc[u] op body(v + u * VW), u < count */
static void vector_loop(Gen *g, const Sum *s, const KirExpr *from, const KirExpr *to, int count)
{
    Arena *a = g->u->arena;
    const KirExpr *width = kir_name(a, idx, "VW"), *u = kir_name(a, idx, fresh_name(g->u, "u"));
    const KirExpr *at = kir_name(a, idx, gen_var_name(g, s->lane));
    const KirExpr *step = kir_arith(a, "*", kir_int(a, count), width);
    KirBlock loop = {0}, lanes = {0};
    GenScope scope = gen_enter(g, &lanes);
    g->lane_var = s->lane;
    gen_bind(g, s->lane, kir_arith(a, "+", at, kir_arith(a, "*", u, width)));
    const KirExpr *value = kir_splat(a, KIR_VW, gen_value(g, s->reduce->body));
    kir_set(a, &lanes, acc_at(a, s, u), gen_combine(g, s->reduce->fn, acc_at(a, s, u), value));
    gen_leave(g, scope);
    g->lane_var = NULL;
    kir_for(a, &loop, u->name, kir_int(a, 0), kir_int(a, count), kir_int(a, 1), true, lanes);
    kir_for(a, g->block, at->name, from, to, step, false, loop);
}

static const KirExpr *variable(Gen *g, const char *stem, const KirExpr *e)
{
    const char *name = fresh_name(g->u, stem);
    kir_decl(g->u->arena, g->block, e->type, name, e);
    return kir_name(g->u->arena, e->type, name);
}

/* from + (to - from) / step * step */
static const KirExpr *whole_steps(Gen *g, const KirExpr *from, const KirExpr *to, int count)
{
    Arena *a = g->u->arena;
    const KirExpr *step = kir_arith(a, "*", kir_int(a, count), kir_name(a, idx, "VW"));
    const KirExpr *steps = kir_arith(a, "/", kir_arith(a, "-", to, from), step);
    return variable(g, "whole", kir_arith(a, "+", from, kir_arith(a, "*", steps, step)));
}

static void lane_loops(Gen *g, Sum *s)
{
    Arena *a = g->u->arena;
    const FdNode *r = s->reduce;
    const KirExpr *lo = s->begin, *hi = s->end;
    for (int i = 1; i < r->nvars; i++)
        if (r->vars[i] == s->lane) gen_range(g, &r->doms[i], s->lane, &lo, &hi);
    const KirExpr *blocks = whole_steps(g, lo, hi, VECTORS);
    const KirExpr *vectors = whole_steps(g, lo, hi, 1);
    vector_loop(g, s, lo, blocks, VECTORS);
    vector_loop(g, s, blocks, vectors, 1);
    KirBlock rest = {0};
    const char *name = gen_var_name(g, s->lane);
    GenScope scope = gen_enter(g, &rest);
    gen_bind(g, s->lane, kir_name(a, idx, name));
    kir_set(a, &rest, s->tail, gen_combine(g, r->fn, s->tail, gen_value(g, r->body)));
    gen_leave(g, scope);
    kir_for(a, g->block, name, vectors, hi, kir_int(a, 1), false, rest);
}

/* Loops over the variables other than the lane variable, the split one over its share. */
static void outer_loops(Gen *g, Sum *s, int from)
{
    Arena *a = g->u->arena;
    const FdNode *r = s->reduce;
    if (from == r->nvars) {
        lane_loops(g, s);
        return;
    }
    if (r->vars[from] == s->lane) {
        outer_loops(g, s, from + 1);
        return;
    }
    const KirExpr *lo = s->begin, *hi = s->end;
    if (from > 0) gen_range(g, &r->doms[from], r->vars[from], &lo, &hi);
    const char *name = gen_var_name(g, r->vars[from]);
    KirBlock inner = {0};
    GenScope scope = gen_enter(g, &inner);
    gen_bind(g, r->vars[from], kir_name(a, idx, name));
    outer_loops(g, s, from + 1);
    gen_leave(g, scope);
    kir_for(a, g->block, name, lo, hi, kir_int(a, 1), false, inner);
}

static void combine_lanes(Gen *g, Sum *s)
{
    Arena *a = g->u->arena;
    /* lanes in memory are stored elements: of bools, bytes */
    KirType one = kir_type(s->vec.kind == SC_BOOL ? SC_BYTE : s->vec.kind, 1);
    const KirExpr *vw = kir_name(a, idx, "VW"), *i = kir_name(a, idx, fresh_name(g->u, "i"));
    const KirExpr *all = acc_at(a, s, kir_int(a, 0));
    for (int k = 1; k < VECTORS; k++)
        all = gen_combine(g, s->reduce->fn, all, acc_at(a, s, kir_int(a, k)));
    kir_array(a, g->block, one, "lane", false, 1, &vw);
    kir_store(a, g->block, "lane", kir_int(a, 0), all);
    KirBlock each = {0};
    kir_set(a, &each, s->tail,
            gen_combine(g, s->reduce->fn, s->tail,
                        kir_convert(a, kir_type(s->vec.kind, 1), kir_elem(a, one, "lane", 1, &i))));
    kir_for(a, g->block, i->name, kir_int(a, 0), vw, kir_int(a, 1), false, each);
}

static void parts_kernel(Unit *u, Sum *s, int temp, const char *share, const char *global)
{
    Arena *a = u->arena;
    KirBlock body = {0};
    Gen g = gen_begin(u, "reduce_parts", &body);
    const FdNode *r = s->reduce;
    gen_outer(&g, s->d, s->d->nvars, 1);
    const KirExpr *lo, *hi;
    gen_range(&g, &r->doms[0], r->vars[0], &lo, &hi);
    const KirExpr *size = gen_param(&g, "share", KIR_IDX, share);
    const KirExpr *zero = kir_int(a, 0), *one = kir_int(a, 1);
    const KirExpr *part = variable(&g, "part", kir_call(a, idx, "get_global_id", 1, &zero));
    s->begin = variable(&g, "begin", kir_arith(a, "+", lo, kir_arith(a, "*", part, size)));
    const KirExpr *bounds[] = {kir_arith(a, "+", s->begin, size), hi};
    s->end = variable(&g, "end", kir_call(a, idx, "min", 2, bounds));
    const KirExpr *start = gen_identity(&g, r), *count = kir_int(a, VECTORS);
    s->vec = kir_type((int)result_kind(r), KIR_VW);
    s->tail = variable(&g, "tail", start);
    kir_array(a, &body, s->vec, "acc", false, 1, &count);
    KirBlock clear = {0};
    const KirExpr *k = kir_name(a, idx, fresh_name(u, "u"));
    kir_set(a, &clear, acc_at(a, s, k), kir_splat(a, KIR_VW, start));
    kir_for(a, &body, k->name, zero, count, one, true, clear);
    outer_loops(&g, s, 0);
    combine_lanes(&g, s);
    const char *out = gen_temp(&g, temp, s->vec, true);
    const KirExpr *row = kir_call(a, idx, "get_global_id", 1, &one);
    const KirExpr *parts = kir_call(a, idx, "get_global_size", 1, &zero);
    const KirExpr *at = s->d->nvars ? kir_arith(a, "+", kir_arith(a, "*", row, parts), part) : part;
    kir_store(a, &body, out, at, s->tail);
    gen_run(&g, NULL, global, "1, 1");
    gen_end(&g, &body);
}

/* out(row) = epilogue(part[row][0] op part[row][1] ..) */
static void combine_kernel(Unit *u, const Sum *s, int temp, const char *parts, const char *rows)
{
    Arena *a = u->arena;
    KirBlock body = {0};
    Gen g = gen_begin(u, "reduce_combine", &body);
    const Def *d = s->d;
    KirType one = kir_type(s->vec.kind, 1);
    gen_outer(&g, d, d->nvars, 0);
    const char *buffer = gen_temp(&g, temp, one, false);
    const KirExpr *n = gen_param(&g, "parts", KIR_IDX, parts), *zero = kir_int(a, 0);
    const KirExpr *row = d->nvars ? kir_call(a, idx, "get_global_id", 1, &zero) : zero;
    const KirExpr *acc = variable(&g, "acc", gen_identity(&g, s->reduce));
    const KirExpr *i = kir_name(a, idx, fresh_name(u, "i"));
    KirBlock each = {0};
    const KirExpr *at = kir_arith(a, "+", kir_arith(a, "*", row, n), i);
    kir_set(a, &each, acc, gen_combine(&g, s->reduce->fn, acc, kir_load(a, one, buffer, at)));
    kir_for(a, &body, i->name, zero, n, kir_int(a, 1), false, each);
    gen_remember(&g, s->reduce, acc);
    gen_store(&g, d);
    gen_run(&g, NULL, rows, "1");
    gen_end(&g, &body);
}

bool reduction_splits(const FdNode *r)
{
    FdOp op = fd_op_of(r);
    if (op == FD_OP_NONE || r->init) return false;
    unsigned both = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    if ((fd_op_info(op)->props & both) != both) return false;
    return reduction_is_closed(r);
}

bool schedule_reduce(Unit *u, const Def *d)
{
    Arena *a = u->arena;
    const FdNode *r = def_reduction(u->arena, d);
    if (!r || u->options->precise || !reduction_splits(r) || result_kind(r) == SC_HALF)
        return false;
    if (d->nvars && lanes_possible(d->body, d->vars[d->nvars - 1])) return false;
    const FdNode *lane = NULL;
    for (int i = r->nvars - 1; i >= 0 && !lane; i--)
        if (lanes_possible(r->body, r->vars[i])) lane = r->vars[i];
    if (!lane) return false;
    Sum s = {.d = d, .reduce = r, .lane = lane};
    const char *rows = plan_let(u, "rows", plan_elements(u, d, d->nvars));
    Def all = {.nvars = r->nvars, .doms = r->doms};
    const char *n = plan_let(u, "n", plan_n(u, &r->doms[0]));
    const char *work = plan_let(u, "work", plan_elements(u, &all, r->nvars));
    /* Parts cost a launch of their own: at least 16k operands each, several for every unit. */
    const char *parts =
        plan_let(u, "parts",
                 arena_printf(a, "max(min(min(%s, ceildiv(units * 4, max(%s, 1))), %s / 16384), 1)",
                              n, rows, work));
    const char *share = plan_let(
        u, "share",
        arena_printf(a, lane == r->vars[0] ? "roundup(ceildiv(%s, %s), VW)" : "ceildiv(%s, %s)", n,
                     parts));
    int temp = u->ntemps++;
    plan_line(u, "temp %d bytes %s * %s * %zu", temp, rows, parts, scalar_bytes(result_kind(r)));
    parts_kernel(u, &s, temp, share, arena_printf(a, "%s, %s", parts, rows));
    combine_kernel(u, &s, temp, parts, rows);
    return true;
}
