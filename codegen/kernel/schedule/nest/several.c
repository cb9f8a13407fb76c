/* Lowering loops over all combinations of several variables, or over one whose range is known here
 * only: loops inside each other. Where all that is taken inside lies in panels, the variables are not
 * asked for, and one loop will do. */
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

/* Is its position needed, not its variables' alone? */
static bool is_kept_along(const Nest *n, int axis)
{
    for (int i = 0; i < n->part.naxes; i++)
        if (n->part.axes[i] == axis) return true;
    for (int i = 0; i < n->nholds; i++)
        if (n->holds[i].along == axis && n->holds[i].space != NEST_REGISTERS) return true;
    return false;
}

typedef struct Several {
    Lower *l;
    const NestStep *s;
    const KirExpr *count;
} Several;

static void several_loops(const Several *x, int from)
{
    Lower *l = x->l;
    Gen *g = &l->g;
    const NestAxis *axis = &l->n->axes[x->s->axis];
    if (from == axis->nvars) {
        nest_steps(l, x->s->first);
        if (x->count) kir_set(l->a, g->block, x->count, nest_add(l, x->count, kir_int(l->a, 1)));
        return;
    }
    const FdNode *v = axis->vars[from];
    const KirExpr *lo, *n;
    gen_range(g, &axis->doms[from], v, &lo, &n);
    const KirExpr *at = kir_name(l->a, idx, gen_var_name(g, v));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *last = nest_op(l, FD_OP_SUB, n, kir_int(l->a, 1));
    gen_bind_at(g, &axis->doms[from], v,
                axis->down ? gen_variable(g, "down", nest_op(l, FD_OP_SUB, last, at)) : at);
    several_loops(x, from + 1);
    gen_leave(g, scope);
    kir_for(l->a, g->block, at->name, kir_int(l->a, 0), n, kir_int(l->a, 1), false, body);
}

void nest_over_several(Lower *l, const NestStep *s)
{
    Several x = {.l = l, .s = s};
    if (is_kept_along(l->n, s->axis)) {
        x.count = kir_name(l->a, idx, fresh_name(l->u, "k"));
        kir_decl(l->a, l->g.block, idx, x.count->name, kir_int(l->a, 0));
        l->places[s->axis].at = x.count;
    }
    nest_open(l, s, x.count ? x.count : kir_int(l->a, 0), false);
    several_loops(&x, 0);
}

/* ---- are the variables needed? ----------------------------------------------------------------- */

/* Is the value kept for each position along the axis? */
static bool is_in_panel(const Lower *l, int axis, const FdNode *value)
{
    for (int i = 0; i < l->n->nholds; i++) {
        const NestHold *h = &l->n->holds[i];
        if (l->kept[i].depth >= 0 && h->along == axis && h->value == value &&
            (h->space == NEST_PRIVATE || h->space == NEST_GLOBAL))
            return true;
    }
    return false;
}

static bool asks(const Lower *l, int axis, const FdNode *value, FdSeen *seen)
{
    const NestAxis *x = &l->n->axes[axis];
    bool uses = false;
    if (!fd_meet(seen, value)) return false;
    for (int i = 0; i < x->nvars; i++) uses = uses || fd_uses_var(value, x->vars[i]);
    if (!uses || is_in_panel(l, axis, value)) return false;
    if (value->kind != FD_APPLY || fd_op_of(value) == FD_OP_NONE) return true;
    for (int i = 0; i < value->nargs; i++)
        if (asks(l, axis, value->args[i], seen)) return true;
    return false;
}

static bool step_asks(const Lower *l, int axis, const NestStep *s, FdSeen *seen)
{
    const Nest *n = l->n;
    if (s->kind == NEST_HOLD) return asks(l, axis, n->holds[s->hold].value, seen);
    if (s->kind == NEST_TAKE) {
        for (int r = s->begin; r < s->end; r++)
            if (asks(l, axis, nest_taken(l, r), seen)) return true;
        return false;
    }
    if (s->kind != NEST_FOR && s->kind != NEST_AHEAD) return true;
    for (const NestStep *in = s->first; in; in = in->next)
        if (step_asks(l, axis, in, seen)) return true;
    return false;
}

bool nest_asks_variables(const Lower *l, const NestStep *s)
{
    FdSeen seen = {0};
    bool asked = step_asks(l, s->axis, s, &seen);
    fd_seen_free(&seen);
    return asked;
}
