/* Nests as text (docs/kernels.md): what they keep, then a line a loop or step, indented by the loops
 * around it. */
#include "text.h"

typedef struct Printer {
    Unit *u;
    const Nest *n;
    NestNames names;
    Text *out;
} Printer;

static const char *axis(const Printer *p, int i)
{
    return nest_axis_name(&p->names, p->n, i);
}

/* word E, nothing if there is none. */
static void number(Printer *p, const char *word, Num *x)
{
    if (x) text_printf(p->out, " %s %s", word, num_text(p->u, x));
}

/* ---- what is kept ------------------------------------------------------------------------------ */

static void print_axis(Printer *p, int i)
{
    const NestAxis *x = &p->n->axes[i];
    bool down = x->down && p->n->wave.of; /* else a loop says it */
    if (x->nvars == 1 && !x->from && !x->to && !down) return;
    text_printf(p->out, "  axis %s", axis(p, i));
    for (int k = 0; k < x->nvars; k++)
        text_printf(p->out, "%s %s", k ? "," : " =", nest_var_name(&p->names, x->vars[k]));
    if (!x->nvars) number(p, "times", x->n);
    number(p, "from", x->from);
    number(p, "to", x->to);
    if (down) text_add(p->out, " down");
    text_add(p->out, "\n");
}

static void print_registers(Printer *p)
{
    const Nest *n = p->n;
    for (int i = 0; i < n->nregs; i++) {
        text_printf(p->out, "%s %s", i ? "," : "  registers", axis(p, n->regs[i].axis));
        number(p, "times", n->regs[i].count);
        if (!num_is(n->regs[i].step, 1)) number(p, "by", n->regs[i].step);
        number(p, "run", n->regs[i].run);
    }
    if (n->nregs) text_add(p->out, "\n");
}

static void print_part(Printer *p)
{
    const NestPart *part = &p->n->part;
    if (!part->naxes) return;
    for (int r = 0; r < nest_places(p->n); r++) {
        text_add(p->out, r ? ", " : "  part ");
        if (part->temps[r] < 0)
            text_add(p->out, "own");
        else
            text_printf(p->out, "temp %d", part->temps[r]);
    }
    for (int i = 0; i < part->naxes; i++) {
        text_printf(p->out, "%s %s", i ? "," : " over", axis(p, part->axes[i]));
        number(p, "times", part->lengths[i]);
    }
    text_add(p->out, "\n");
}

static void print_box(Printer *p, const NestBox *b)
{
    text_printf(p->out, "  box %s", b->name);
    if (b->axis >= 0) text_printf(p->out, " along %s", axis(p, b->axis));
    number(p, "times", b->least);
    for (int i = 0; i < b->nconds; i++)
        text_printf(p->out, "%s %s", i ? "," : " where",
                    nest_cond_name(&p->names, p->n->def, b->conds[i]));
    text_add(p->out, "\n");
}

static void print_head(Printer *p)
{
    const Nest *n = p->n;
    for (int i = 0; i < n->naxes; i++) print_axis(p, i);
    for (int r = 0; r < n->nreduces; r++)
        text_printf(p->out, "  result %s\n", nest_term_name(&p->names, n->reduces[r]));
    print_registers(p);
    if (n->patch[0]) text_printf(p->out, "  patch %d by %d\n", n->patch[0], n->patch[1]);
    if (n->sums) text_add(p->out, "  sums\n");
    if (n->wave.of) {
        text_printf(p->out, "  wave %s by %s,", axis(p, n->wave.axes[0]),
                    num_text(p->u, n->wave.steps[0]));
        text_printf(p->out, " %s by %s diagonal %s\n", axis(p, n->wave.axes[1]),
                    num_text(p->u, n->wave.steps[1]), num_text(p->u, n->wave.diagonal));
    }
    if (n->scan) text_printf(p->out, "  scan %s", axis(p, n->carry_axis));
    if (n->scan_items)
        text_printf(p->out, " items %s by %s", num_text(p->u, n->scan_items),
                    num_text(p->u, n->scan_each));
    if (n->scan)
        text_add(p->out, "\n");
    else if (n->carry_axis >= 0)
        text_printf(p->out, "  carry %s times %d\n", axis(p, n->carry_axis), n->carried);
    if (n->lanes_axis >= 0)
        text_printf(p->out, "  vectors %s%s\n", axis(p, n->lanes_axis),
                    n->scalar_give ? " apart" : "");
    print_part(p);
    if (n->keys.axis >= 0) text_printf(p->out, "  keys %s", axis(p, n->keys.axis));
    if (n->keys.tables >= 0) text_printf(p->out, " in %s", axis(p, n->keys.tables));
    if (n->keys.entries)
        text_printf(p->out, " local %s times %s%s", num_text(p->u, n->keys.entries),
                    num_text(p->u, n->keys.copies), n->keys.ordered ? " ordered" : "");
    if (n->keys.axis >= 0) text_add(p->out, "\n");
    if (n->block_axis >= 0)
        text_printf(p->out, "  block %s by %s\n", axis(p, n->block_axis), num_text(p->u, n->block));
    for (int i = 0; i < n->nboxes; i++) print_box(p, &n->boxes[i]);
}

/* ---- loops and steps --------------------------------------------------------------------------- */

static void print_loop(Printer *p, const NestStep *s)
{
    text_printf(p->out, "%s %s", nest_binds[s->bind], axis(p, s->axis));
    if (!num_is(s->step, 1)) number(p, "by", s->step);
    number(p, "times", s->count);
    number(p, "run", s->run);
    if (s->staged) text_add(p->out, " staged");
    if (s->bind == NEST_GROUP || s->bind == NEST_ITEM) text_printf(p->out, " dim %d", s->dim);
    if (p->n->axes[s->axis].down) text_add(p->out, " down");
    if (s->tail != NEST_CUT) text_printf(p->out, " %s", nest_tails[s->tail]);
}

static void print_hold(Printer *p, const NestHold *h)
{
    text_printf(p->out, "hold %s %s", h->name, nest_spaces[h->space]);
    if (h->space == NEST_GLOBAL) text_printf(p->out, " temp %d", h->temp);
    if (h->filled) text_add(p->out, " filled");
    if (h->batch >= 0) text_printf(p->out, " batch %s", axis(p, h->batch));
    if (h->along >= 0) {
        text_printf(p->out, " along %s", axis(p, h->along));
        number(p, "times", h->depth);
        number(p, "of", h->reach);
    }
    if (h->across >= 0) text_printf(p->out, " across %s", axis(p, h->across));
    number(p, "times", h->width);
    number(p, "vectors", h->vectors);
    if (h->turned) text_add(p->out, " turned");
    text_printf(p->out, " = %s", nest_term_name(&p->names, h->value));
}

static void print_steps(Printer *p, const NestStep *s, int depth)
{
    const Nest *n = p->n;
    for (; s; s = s->next) {
        text_printf(p->out, "%*s", depth * 2, "");
        if (s->kind == NEST_FOR) {
            print_loop(p, s);
        } else if (s->kind == NEST_HOLD) {
            print_hold(p, &n->holds[s->hold]);
        } else if (s->kind == NEST_PLACE) {
            text_printf(p->out, "place %s", axis(p, s->axis));
            number(p, "times", s->count);
        } else if (s->kind == NEST_AHEAD) {
            text_printf(p->out, "ahead %s",
                        s->hold == NEST_READS ? "reads"
                        : s->hold < 0         ? "give"
                                              : n->holds[s->hold].name);
            if (s->axis >= 0) text_printf(p->out, " over %s", axis(p, s->axis));
            number(p, "by", s->step);
            number(p, "times", s->count);
        } else if (s->kind == NEST_RANGE || s->kind == NEST_SHARED) {
            const char *what = s->kind == NEST_RANGE ? "range" : "shared";
            text_printf(p->out, "%s %s", what, axis(p, s->axis));
        } else {
            text_add(p->out, nest_kinds[s->kind]);
            if (s->kind >= NEST_IN) text_printf(p->out, " %s", n->boxes[s->box].name);
        }
        for (int r = s->begin; s->kind == NEST_TAKE && n->nreduces > 1 && r < s->end; r++)
            text_printf(p->out, " %d", r);
        text_add(p->out, "\n");
        print_steps(p, s->first, depth + 1);
    }
}

void nest_print(Unit *u, const Nest *n, Text *out)
{
    Printer p = {.u = u, .n = n, .names = nest_names(u, n->def), .out = out};
    text_printf(out, "nest %s", n->name);
    if (n->inside) text_add(out, " inside");
    if (n->when && !num_is(n->when, 1)) number(&p, "when", n->when);
    if (n->checks != GEN_PROVED) text_printf(out, " %s", nest_checks[n->checks]);
    if (n->again) text_add(out, " again");
    if (n->stream) text_add(out, " stream");
    if (n->lanes != KIR_V4) text_printf(out, " lanes V%d", -n->lanes);
    text_add(out, "\n");
    print_head(&p);
    print_steps(&p, n->root.first, 1);
    nest_names_free(&p.names);
}
