/* Schedule of last resort and of pointwise work: one value after the other along the last
 * dimension, in lanes where reads allow it. A work-item takes a chunk of one row.
 *
 *   before   let (i, j) u(i-1, j) + u(i+1, j)
 *   after    for (j = begin; j < end; j += VW) { k = min(j, hi - VW); out[k] = u[..] + u[..]; }
 *
 * The last vector of a row is moved back to end with it: elements are computed twice rather than
 * one by one. Needs: closed ranges. Keeps: the order of operations within an element.
 */
#include <string.h>

#include "../unit.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *global_id(Arena *a, int d)
{
    const KirExpr *dim = kir_int(a, d);
    return kir_call(a, idx, "get_global_id", 1, &dim);
}

void gen_outer(Gen *g, const Def *d, int n, int dim)
{
    Arena *a = g->u->arena;
    if (n <= 0) return;
    const KirExpr *rest = global_id(a, dim);
    if (n > 1) { /* a variable, since it is divided up */
        const char *name = fresh_name(g->u, "row");
        kir_decl(a, g->block, idx, name, rest);
        rest = kir_name(a, idx, name);
    }
    for (int i = n - 1; i >= 0; i--) {
        const KirExpr *lo, *hi;
        gen_range(g, &d->doms[i], d->vars[i], &lo, &hi);
        const KirExpr *len = kir_arith(a, "-", hi, lo);
        const KirExpr *at = i ? kir_arith(a, "%", rest, len) : rest;
        const char *name = gen_var_name(g, d->vars[i]);
        kir_decl(a, g->block, idx, name, kir_arith(a, "+", lo, at));
        gen_bind(g, d->vars[i], kir_name(a, idx, name));
        if (i) {
            const char *up = fresh_name(g->u, "row");
            kir_decl(a, g->block, idx, up, kir_arith(a, "/", rest, len));
            rest = kir_name(a, idx, up);
        }
    }
}

/* One kernel; lanes: VW elements at a time. */
static void map_kernel(Unit *u, const Def *d, bool lanes, bool checked, const char *when,
                       const char *chunk, const char *global)
{
    Arena *a = u->arena;
    KirBlock body = {0};
    Gen g = gen_begin(u, lanes ? "map_vector" : "map", &body);
    g.checked = checked;
    if (d->nvars == 0) {
        gen_store(&g, d);
        gen_run(&g, when, "1", "1");
        gen_end(&g, &body);
        return;
    }
    int last = d->nvars - 1;
    const FdNode *v = d->vars[last];
    gen_outer(&g, d, last, 1);
    const KirExpr *lo, *hi;
    gen_range(&g, &d->doms[last], v, &lo, &hi);
    const KirExpr *size = gen_param(&g, "chunk", KIR_IDX, chunk);
    const KirExpr *begin = kir_name(a, idx, fresh_name(u, "begin"));
    const KirExpr *end = kir_name(a, idx, fresh_name(u, "end"));
    kir_decl(a, &body, idx, begin->name,
             kir_arith(a, "+", lo, kir_arith(a, "*", global_id(a, 0), size)));
    const KirExpr *bounds[] = {kir_arith(a, "+", begin, size), hi};
    kir_decl(a, &body, idx, end->name, kir_call(a, idx, "min", 2, bounds));
    const char *name = gen_var_name(&g, v);
    const KirExpr *at = kir_name(a, idx, name);
    const KirExpr *width = lanes ? kir_name(a, idx, "VW") : kir_int(a, 1);
    KirBlock inner = {0};
    GenScope scope = gen_enter(&g, &inner);
    if (lanes) {
        g.lane_var = v;
        const KirExpr *args[] = {at, kir_arith(a, "-", hi, width)};
        const char *moved = gen_var_name(&g, v);
        kir_decl(a, &inner, idx, moved, kir_call(a, idx, "min", 2, args));
        at = kir_name(a, idx, moved);
    }
    gen_bind(&g, v, at);
    gen_store(&g, d);
    gen_leave(&g, scope);
    kir_for(a, &body, name, begin, end, width, false, inner);
    gen_run(&g, when, global, "1, 1");
    gen_end(&g, &body);
}

bool schedule_map(Unit *u, const Def *d)
{
    Arena *a = u->arena;
    const char *unsafe = plan_unsafe(u, d);
    bool checked = strcmp(unsafe, "0") != 0;
    if (d->nvars == 0) {
        map_kernel(u, d, false, checked, NULL, NULL, NULL);
        return true;
    }
    int last = d->nvars - 1;
    const char *n = plan_let(u, "n", plan_n(u, &d->doms[last]));
    const char *rows = plan_let(u, "rows", plan_elements(u, d, last));
    /* Enough chunks for every unit to have several; a chunk holds whole vectors. */
    const char *chunk = plan_let(
        u, "chunk",
        arena_printf(
            a, "%s >= units * 4 ? %s : roundup(max(ceildiv(%s * max(%s, 1), units * 4), VW), VW)",
            rows, n, n, rows));
    const char *global = arena_printf(a, "ceildiv(%s, %s), %s", n, chunk, rows);
    if (u->options->tile == CG_TILE_1X1 || !lanes_possible(d->body, d->vars[last]) ||
        strcmp(unsafe, "1") == 0 || u->guard /* only for what is unsafe */) {
        map_kernel(u, d, false, checked, NULL, chunk, global);
        return true;
    }
    const char *lanes = plan_let(u, "lanes", arena_printf(a, "%s >= VW && !(%s)", n, unsafe));
    map_kernel(u, d, true, false, lanes, chunk, global);
    map_kernel(u, d, false, checked, arena_printf(a, "!%s", lanes), chunk, global);
    return true;
}
