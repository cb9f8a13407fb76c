/* The gpu family: one work-item an element for pointwise work, work-groups with a tree in local
 * memory for long reductions, tiles in local memory for contractions (gpu_contract.c). A text holds
 * all forms that can apply; the plan chooses by extents.
 */
#include <string.h>

#include "contract.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *call(Gen *g, const char *name, int dim)
{
    const KirExpr *d = kir_int(g->u->arena, dim);
    return kir_call(g->u->arena, idx, name, 1, &d);
}

/* ---- one work-item an element ---------------------------------------------------------------- */

/* Extents of a map and of its work-groups, as plan names. */
typedef struct Grid {
    const char *n, *rows, *width, *height;
} Grid;

static Grid grid_of(Unit *u, const Def *d)
{
    Arena *a = u->arena;
    int last = d->nvars - 1;
    Grid s;
    s.n = plan_let(u, "n", plan_n(u, &d->doms[last]));
    s.rows = plan_let(u, "rows", plan_elements(u, d, last));
    /* Neighbours in a row are neighbours in memory; short rows share a group. */
    s.width =
        plan_let(u, "width",
                 arena_printf(a, "%s < 4 ? GROUP : min(%s > 32 ? 64 : %s > 8 ? 16 : 4, GROUP)",
                              s.rows, s.n, s.n));
    s.height = plan_let(u, "height", arena_printf(a, "%s < 4 ? 1 : GROUP / %s", s.rows, s.width));
    return s;
}

static void map_kernel(Unit *u, const Def *d, const Grid *s, bool checked, const char *when)
{
    Arena *a = u->arena;
    KirBlock body = {0}, inside = {0};
    Gen g = gen_begin(u, checked ? "map_checked" : "map", &body);
    g.checked = checked;
    if (d->nvars == 0) {
        gen_store(&g, d);
        gen_run(&g, when, "1", "1");
        gen_end(&g, &body);
        return;
    }
    int last = d->nvars - 1;
    const KirExpr *lo, *hi;
    gen_range(&g, &d->doms[last], d->vars[last], &lo, &hi);
    const KirExpr *at = gen_variable(&g, "at", kir_arith(a, "+", lo, gen_global_id(&g, 0)));
    const KirExpr *exists = kir_arith(a, "<", at, hi);
    if (last > 0)
        exists = kir_arith(a, "&&", exists,
                           kir_arith(a, "<", gen_variable(&g, "y", gen_global_id(&g, 1)),
                                     gen_param(&g, "rows", KIR_IDX, s->rows)));
    GenScope scope = gen_enter(&g, &inside);
    gen_outer(&g, d, last, 1);
    gen_bind(&g, d->vars[last], at);
    gen_store(&g, d);
    gen_leave(&g, scope);
    kir_if(a, &body, exists, inside, NULL);
    gen_run(&g, when,
            arena_printf(a, "roundup(%s, %s), roundup(%s, %s)", s->n, s->width, s->rows, s->height),
            arena_printf(a, "%s, %s", s->width, s->height));
    gen_end(&g, &body);
}

/* ---- reductions by work-groups --------------------------------------------------------------- */

typedef enum Stage {
    ROW,   /* one group an output: operands to the result */
    PARTS, /* several groups an output: operands to partial results */
    FINAL  /* one group an output: partial results to the result */
} Stage;

typedef struct Tree {
    Unit *u;
    const Def *d;
    const FdNode *reduce;
    const char *rows, *work, *parts; /* plan names */
    int temp;
} Tree;

static KirType element(const Tree *t)
{
    return kir_type((int)result_kind(t->reduce), 1);
}

static const KirExpr *partial(Gen *g, const Tree *t, const KirExpr *parts, const KirExpr *part)
{
    Arena *a = t->u->arena;
    const KirExpr *row = t->d->nvars ? gen_global_id(g, 1) : kir_int(a, 0);
    return kir_arith(a, "+", kir_arith(a, "*", row, parts), part);
}

/* acc = acc op every operand (or partial result) that is this work-item's */
static void take_share(Gen *g, const Tree *t, Stage stage, const KirExpr *acc, const KirExpr *parts)
{
    Arena *a = t->u->arena;
    const KirExpr *i = kir_name(a, idx, fresh_name(t->u, "i")), *value, *from, *to, *by;
    KirBlock each = {0};
    GenScope scope = gen_enter(g, &each);
    if (stage == FINAL) {
        const char *buffer = gen_temp(g, t->temp, element(t), false);
        value = kir_load(a, element(t), buffer, partial(g, t, parts, i));
        from = call(g, "get_local_id", 0);
        to = parts;
        by = kir_name(a, idx, "GROUP");
    } else {
        gen_bind_flat(g, t->reduce, i);
        value = gen_value(g, t->reduce->body);
        from = gen_global_id(g, 0);
        to = gen_param(g, "work", KIR_IDX, t->work);
        by = call(g, "get_global_size", 0);
    }
    kir_set(a, &each, acc, gen_combine(g, t->reduce->fn, acc, value));
    gen_leave(g, scope);
    kir_for(a, g->block, i->name, from, to, by, false, each);
}

/* all[0] = all[0] op all[1] op .. all[GROUP - 1], halving what is left in each round */
static const KirExpr *group_tree(Gen *g, const Tree *t, const KirExpr *acc, const KirExpr *id)
{
    Arena *a = t->u->arena;
    const KirExpr *group = kir_name(a, idx, "GROUP"), *one = kir_int(a, 1), *zero = kir_int(a, 0);
    const KirExpr *round = kir_name(a, idx, fresh_name(t->u, "round"));
    const KirExpr *mine = kir_elem(a, element(t), "all", 1, &id);
    kir_set(a, g->block, mine, acc);
    kir_simple(a, g->block, KIR_BARRIER);
    KirBlock rounds = {0}, half = {0};
    GenScope scope = gen_enter(g, &rounds);
    const KirExpr *left =
        gen_variable(g, "left", kir_arith(a, "/", group, kir_arith(a, "*", round, kir_int(a, 2))));
    const KirExpr *other = kir_arith(a, "+", id, left);
    kir_set(a, &half, mine,
            gen_combine(g, t->reduce->fn, mine, kir_elem(a, element(t), "all", 1, &other)));
    kir_if(a, &rounds, kir_arith(a, "<", id, left), half, NULL);
    kir_simple(a, &rounds, KIR_BARRIER);
    gen_leave(g, scope);
    kir_for(a, g->block, round->name, one, group, round, true, rounds);
    return kir_elem(a, element(t), "all", 1, &zero);
}

static void tree_kernel(const Tree *t, Stage stage, const char *when)
{
    static const char *const names[] = {"reduce_row", "reduce_parts", "reduce_final"};
    Unit *u = t->u;
    Arena *a = u->arena;
    const Def *d = t->d;
    KirBlock body = {0}, first = {0};
    Gen g = gen_begin(u, names[stage], &body);
    const KirExpr *group = kir_name(a, idx, "GROUP"), *zero = kir_int(a, 0);
    kir_array(a, &body, element(t), "all", true, 1, &group);
    gen_outer(&g, d, d->nvars, 1);
    const KirExpr *id = gen_variable(&g, "id", call(&g, "get_local_id", 0));
    const KirExpr *parts = stage == ROW ? NULL : gen_param(&g, "parts", KIR_IDX, t->parts);
    const KirExpr *acc = kir_name(a, element(t), fresh_name(u, "acc"));
    kir_decl(a, &body, element(t), acc->name, gen_identity(&g, t->reduce));
    take_share(&g, t, stage, acc, parts);
    const KirExpr *all = group_tree(&g, t, acc, id);
    GenScope scope = gen_enter(&g, &first);
    if (stage == PARTS) {
        const char *buffer = gen_temp(&g, t->temp, element(t), true);
        kir_store(a, &first, buffer, partial(&g, t, parts, call(&g, "get_group_id", 0)), all);
    } else {
        gen_remember(&g, t->reduce, all);
        gen_store(&g, d);
    }
    gen_leave(&g, scope);
    kir_if(a, &body, kir_arith(a, "==", id, zero), first, NULL);
    gen_run(&g, when,
            stage == PARTS ? arena_printf(a, "%s * GROUP, %s", t->parts, t->rows)
                           : arena_printf(a, "GROUP, %s", t->rows),
            "GROUP, 1");
    gen_end(&g, &body);
}

static const char *schedule_tree(Unit *u, const Def *d, const char *when)
{
    Arena *a = u->arena;
    const FdNode *r = def_reduction(u->arena, d);
    if (!r || u->options->precise || !reduction_splits(r)) return NULL;
    Tree t = {.u = u, .d = d, .reduce = r};
    Def all = {.nvars = r->nvars, .doms = r->doms};
    t.rows = plan_let(u, "rows", plan_elements(u, d, d->nvars));
    t.work = plan_let(u, "work", plan_elements(u, &all, r->nvars));
    /* neighbours in the result that read neighbours: a work-item an output reads well, too */
    bool along = d->nvars && reads_along(r->body, d->vars[d->nvars - 1]);
    const char *few = along ? arena_printf(a, " && %s < units * 512", t.rows) : "";
    const char *tree = plan_let(u, "tree", arena_printf(a, "%s && %s >= 64%s", when, t.work, few));
    t.parts = plan_let(
        u, "parts",
        arena_printf(a, "max(min(ceildiv(units * 8, max(%s, 1)), %s / 2048), 1)", t.rows, t.work));
    t.temp = u->ntemps++;
    plan_line(u, "temp %d bytes %s && %s > 1 ? %s * %s * %zu : 0", t.temp, tree, t.parts, t.rows,
              t.parts, scalar_bytes(result_kind(r)));
    tree_kernel(&t, ROW, arena_printf(a, "%s && %s == 1", tree, t.parts));
    const char *several = plan_let(u, "several", arena_printf(a, "%s && %s > 1", tree, t.parts));
    tree_kernel(&t, PARTS, several);
    tree_kernel(&t, FINAL, several);
    return tree;
}

/* ---- choice ---------------------------------------------------------------------------------- */

bool schedule_gpu(Unit *u, const Def *d)
{
    Arena *a = u->arena;
    CgTile tile = u->options->tile;
    if ((tile == CG_TILE_2X2 || tile == CG_TILE_4X4) && schedule_paper(u, d)) return true;
    plan_define(u, "GROUP", "max_group >= 256 ? 256 : max_group >= 64 ? 64 : 4");
    const char *unsafe = plan_unsafe(u, d), *rest = "1"; /* when nothing special ran */
    bool safe = strcmp(unsafe, "0") == 0, unknown = strcmp(unsafe, "1") == 0;
    if (!safe && !unknown) unsafe = plan_let(u, "unsafe", unsafe);
    if (tile != CG_TILE_1X1 && !unknown) {
        const char *proved = safe ? "1" : arena_printf(a, "!%s", unsafe);
        const char *tiles = schedule_gpu_contract(u, d, proved);
        if (tiles) rest = arena_printf(a, "!%s", tiles);
        const char *tree =
            schedule_tree(u, d, tiles ? arena_printf(a, "%s && %s", proved, rest) : proved);
        if (tree)
            rest = tiles ? arena_printf(a, "%s && !%s", rest, tree) : arena_printf(a, "!%s", tree);
    }
    Grid s = {0};
    if (d->nvars) s = grid_of(u, d);
    bool always = strcmp(rest, "1") == 0;
    if (!unknown)
        map_kernel(u, d, &s, false,
                   safe ? (always ? NULL : rest) : arena_printf(a, "%s && !%s", rest, unsafe));
    if (!safe) map_kernel(u, d, &s, true, unknown ? NULL : unsafe);
    return true;
}
