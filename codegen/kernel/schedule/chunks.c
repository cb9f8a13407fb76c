/* Reductions by associative user functions, over records too: each work-item combines one chunk of
 * operands in order, a second kernel combines the chunks in order.
 *
 *   before   reduce f (i) x(i)
 *   after    chunk p: acc = f(acc, x[i]) for its share of i; then out = f(f(chunk[0], chunk[1]),
 * ..)
 *
 * Needs: an associative function (it need not be commutative), closed ranges. Keeps: the order of
 * the operands, and the same bits for the same device. No chunk is empty, so none needs an
 * identity.
 */
#include "../unit.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Chunks {
    const Def *d;
    const FdNode *reduce;
    KirType type;
    int temp;
    const char *rows, *work, *parts, *share; /* plan names */
} Chunks;

/* acc = i == first ? value : f(acc, value) */
static void take(Gen *g, const Chunks *c, const KirExpr *acc, const KirExpr *i,
                 const KirExpr *first, const KirExpr *value)
{
    Arena *a = g->u->arena;
    KirBlock start = {0}, go = {0};
    const KirExpr *v = gen_variable(g, "v", value);
    kir_set(a, &start, acc, v);
    kir_set(a, &go, acc, gen_combine(g, c->reduce->fn, acc, v));
    kir_if(a, g->block, kir_arith(a, "==", i, first), start, &go);
}

/* Where the result of a chunk of this work-item's row is. */
static const KirExpr *place(Gen *g, const Chunks *c, int row_dim, const KirExpr *part)
{
    Arena *a = g->u->arena;
    if (!c->d->nvars) return part;
    const KirExpr *parts = gen_param(g, "parts", KIR_IDX, c->parts);
    return kir_arith(a, "+", kir_arith(a, "*", gen_global_id(g, row_dim), parts), part);
}

static void chunk_kernel(Unit *u, const Chunks *c, const char *when, bool checked)
{
    Arena *a = u->arena;
    KirBlock body = {0}, each = {0};
    Gen g = gen_begin(u, "reduce_chunk", &body);
    g.checked = checked;
    gen_outer(&g, c->d, c->d->nvars, 1);
    const KirExpr *part = gen_variable(&g, "part", gen_global_id(&g, 0));
    const KirExpr *share = gen_param(&g, "share", KIR_IDX, c->share);
    const KirExpr *begin = gen_variable(&g, "begin", kir_arith(a, "*", part, share));
    const KirExpr *bounds[] = {kir_arith(a, "+", begin, share),
                               gen_param(&g, "work", KIR_IDX, c->work)};
    const KirExpr *end = gen_variable(&g, "end", kir_call(a, idx, "min", 2, bounds));
    const KirExpr *acc = kir_name(a, c->type, fresh_name(u, "acc"));
    kir_decl(a, &body, c->type, acc->name, NULL);
    const KirExpr *i = kir_name(a, idx, fresh_name(u, "i"));
    GenScope scope = gen_enter(&g, &each);
    gen_bind_flat(&g, c->reduce, i);
    take(&g, c, acc, i, begin, gen_value(&g, c->reduce->body));
    gen_leave(&g, scope);
    kir_for(a, &body, i->name, begin, end, kir_int(a, 1), false, each);
    kir_store(a, &body, gen_temp(&g, c->temp, c->type, true), place(&g, c, 1, part), acc);
    gen_run(&g, when, arena_printf(a, "%s, %s", c->parts, c->rows), NULL);
    gen_end(&g, &body);
}

static void combine_kernel(Unit *u, const Chunks *c, const char *when, bool checked)
{
    Arena *a = u->arena;
    KirBlock body = {0}, each = {0};
    Gen g = gen_begin(u, "reduce_chunks", &body);
    g.checked = checked;
    gen_outer(&g, c->d, c->d->nvars, 0);
    const KirExpr *acc = kir_name(a, c->type, fresh_name(u, "acc"));
    kir_decl(a, &body, c->type, acc->name, NULL);
    const KirExpr *i = kir_name(a, idx, fresh_name(u, "i")), *zero = kir_int(a, 0);
    const char *buffer = gen_temp(&g, c->temp, c->type, false);
    GenScope scope = gen_enter(&g, &each);
    take(&g, c, acc, i, zero, kir_load(a, c->type, buffer, place(&g, c, 0, i)));
    gen_leave(&g, scope);
    kir_for(a, &body, i->name, zero, gen_param(&g, "parts", KIR_IDX, c->parts), kir_int(a, 1),
            false, each);
    gen_remember(&g, c->reduce, acc);
    gen_store(&g, c->d);
    gen_run(&g, when, c->rows, NULL);
    gen_end(&g, &body);
}

const char *schedule_chunks(Unit *u, const Def *d, bool checked)
{
    Arena *a = u->arena;
    const FdNode *r = def_reduction(u->arena, d);
    if (!r || r->init || u->options->precise || u->options->tile == CG_TILE_1X1) return NULL;
    if (r->fn->kind != FD_FUNC || r->fn->leaf != FD_LEAF_USER || !r->fn->user->associative ||
        !reduction_is_closed(r))
        return NULL;
    Chunks c = {.d = d, .reduce = r, .type = gen_type(u, r->type), .temp = u->ntemps++};
    Def all = {.nvars = r->nvars, .doms = r->doms};
    c.rows = plan_let(u, "rows", plan_elements(u, d, d->nvars));
    c.work = plan_let(u, "work", plan_elements(u, &all, r->nvars));
    /* Several for every unit, of 256 operands at least. */
    const char *wish = arena_printf(
        a, "min(ceildiv(units * (gpu ? 256 : 4), max(%s, 1)), %s / 256)", c.rows, c.work);
    c.share = plan_let(u, "share", arena_printf(a, "ceildiv(%s, max(%s, 1))", c.work, wish));
    c.parts = plan_let(u, "parts", arena_printf(a, "ceildiv(%s, %s)", c.work, c.share));
    const char *several = plan_let(u, "several", arena_printf(a, "%s > 1", c.parts));
    plan_line(u, "temp %d bytes %s ? %s * %s * %zu : 0", c.temp, several, c.rows, c.parts,
              kir_bytes(c.type));
    chunk_kernel(u, &c, several, checked);
    combine_kernel(u, &c, several, checked);
    return several;
}
