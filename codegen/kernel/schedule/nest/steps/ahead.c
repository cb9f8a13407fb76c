/* Lowering AHEAD: memory that is needed soon is asked for while the kernel computes. A hint of which
 * results know nothing: addresses may lie beyond an array's end.
 *
 *   give        the lines of the result, or of the parts, that the next GIVE reads and writes
 *   reads       what the GIVE some positions further on reads, where lanes follow each other; over y: so
 *               many rows further on, into L2
 *   panel       what is taken some steps later; behind the end begins the next panel
 *   .. over i   some elements of the next panel, those after what the turns over i before and the
 *               steps before have asked for */
#include "../impl.h"

enum { LINE_BYTES = 64 };

static void ask(Lower *l, Intrinsic how, KirType t, const char *buffer, const KirExpr *at)
{
    const KirExpr *args[] = {kir_name(l->a, t, buffer), at};
    kir_eval(l->a, l->g.block, kir_intrinsic(l->a, t, how, args));
}

/* ---- results ----------------------------------------------------------------------------------- */

static void ask_result(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    bool parts = n->block_axis >= 0 && n->part.temps[0] >= 0;
    if (!parts) {
        ask(l, INTR_AHEAD_GIVE, gen_type(l->u, n->def->body->type), gen_output(g, n->def),
            gen_output_offset(g, n->def));
        return;
    }
    for (int r = 0; r < n->nreduces; r++) {
        KirType t = gen_type(l->u, n->reduces[r]->type);
        ask(l, INTR_AHEAD_GIVE, t, gen_temp(g, n->part.temps[r], t, true), nest_part_offset(l));
    }
}

static void each_register(Lower *l, int from)
{
    Gen *g = &l->g;
    if (from == l->n->nregs) {
        ask_result(l);
        return;
    }
    const NestRegs *regs = &l->n->regs[from];
    NestPlace *p = &l->places[regs->axis], before = *p;
    const KirExpr *copy =
        kir_name(l->a, (KirType){.kind = KIR_IDX, .lanes = 1}, fresh_name(l->u, "u"));
    KirBlock b = {0};
    GenScope scope = gen_enter(g, &b);
    p->at = nest_add(l, p->at, nest_mul(l, copy, nest_number(l, "step", regs->step)));
    p->placed = NULL;
    p->clamps = false;
    nest_bind(l, regs->axis);
    each_register(l, from + 1);
    gen_leave(g, scope);
    *p = before;
    kir_for(l->a, g->block, copy->name, kir_int(l->a, 0), nest_number(l, "count", regs->count),
            kir_int(l->a, 1), true, b);
}

/* ---- panels ------------------------------------------------------------------------------------ */

static const KirExpr *turn_of(Lower *l, int axis)
{
    int i = l->nopen - 1;
    while (l->open[i].axis != axis) i--;
    return nest_op(l, FD_OP_DIV, l->open[i].off, nest_number(l, "step", l->open[i].of->step));
}

void nest_ahead_here(Lower *l, const NestStep *s)
{
    if (s->hold == NEST_READS) {
        const NestBody *b = nest_body_lowered(l->u, l->n, l->place);
        l->g.here = l->place ? &b->suspects : NULL;
        gen_ahead(&l->g, b->node, s->axis >= 0 ? l->n->axes[s->axis].vars[0] : NULL,
                  nest_number(l, "ahead", s->step));
        l->g.here = NULL;
        return;
    }
    if (s->hold < 0) {
        each_register(l, 0);
        return;
    }
    Arena *a = l->a;
    const NestHold *h = &l->n->holds[s->hold];
    KirType t = kir_type((int)result_kind(h->value), 1);
    const char *name = l->kept[s->hold].name;
    const KirExpr *width = nest_number(l, "width", h->width),
                  *by = nest_number(l, "ahead", s->step), *begin = nest_panel_begin(l, s->hold),
                  *steps = nest_panel_steps(l, s->hold);
    if (s->axis >= 0) {
        const KirExpr *depth = nest_number(l, "depth", h->depth);
        steps = nest_add(l, nest_mul(l, turn_of(l, s->axis), depth), steps);
        begin = nest_add(l, begin, nest_mul(l, width, depth));
        ask(l, INTR_AHEAD_FAR, t, name, nest_add(l, begin, nest_mul(l, steps, by)));
        return;
    }
    int bytes = (int)scalar_bytes(result_kind(h->value));
    const KirExpr *line =
        kir_name(a, (KirType){.kind = KIR_IDX, .lanes = 1}, fresh_name(l->u, "u"));
    const KirExpr *at = nest_add(l, begin, nest_mul(l, nest_add(l, steps, by), width));
    at = nest_add(l, at, nest_mul(l, line, kir_int(a, LINE_BYTES / bytes)));
    KirBlock each = {0};
    GenScope scope = gen_enter(&l->g, &each);
    ask(l, INTR_AHEAD, t, name, at);
    gen_leave(&l->g, scope);
    kir_for(a, l->g.block, line->name, kir_int(a, 0), nest_number(l, "lines", s->count),
            kir_int(a, 1), true, each);
}
