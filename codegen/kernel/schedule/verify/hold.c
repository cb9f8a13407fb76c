/* Legality of holds: that there is room for what is kept, at the place where it is looked for. */
#include "verify.h"

/* As many of both axes as there are lanes, in loops that never leave less. */
static void square(Verify *v, const NestHold *h)
{
    const int axes[] = {h->along, h->across};
    Num *lanes = verify_lane_count(v);
    if (h->along == h->across || h->across < 0 || !h->width ||
        !verify_same(v->u, h->width, lanes) || !verify_same(v->u, h->depth, lanes)) {
        verify_fail(v, "hold %s: a square is as many of two axes as there are lanes", h->name);
        return;
    }
    for (int i = 0; i < 2 && !v->why; i++) {
        const NestAxis *x = &v->n->axes[axes[i]];
        const NestStep *in = NULL;
        for (int k = 0; k < v->npath; k++)
            if (v->path[k]->axis == axes[i]) in = v->path[k];
        bool whole =
            in && in->bind == NEST_LOOP && !in->count && verify_same(v->u, in->step, lanes);
        if (x->nvars != 1 || !whole || (in->tail != NEST_BACK && in->tail != NEST_WHOLE))
            verify_fail(v, "hold %s: no loop over %s makes whole steps of its lanes", h->name,
                        verify_axis_name(v, axes[i]));
    }
    if (!v->why && (v->n->checks != GEN_PROVED || verify_lanes(v) >= 0 ||
                    !lanes_possible(h->value, *v->n->axes[h->across].vars, 0)))
        verify_fail(v, "hold %s: what is kept cannot be computed in lanes", h->name);
}

/* The lanes that a vector takes fit, and there is a place for each copy of the results. */
static void registers(Verify *v, const NestHold *h)
{
    const NestRegs *regs = h->across < 0 ? NULL : verify_registers(v, h->across);
    bool vector = h->across >= 0 && h->across == v->n->lanes_axis;
    if (h->along >= 0) {
        square(v, h);
        return;
    }
    if (h->width && (!regs || !verify_same(v->u, regs->count, h->width)))
        verify_fail(v, "hold %s: registers lie as those of the results do", h->name);
    if (!h->width && vector && verify_lanes(v) != h->across)
        verify_fail(v, "hold %s: one value is no vector", h->name);
    if (v->why) return;
    if (vector) verify_in_lanes(v, h->value, h->across, false);
}

/* Positions of a turn of the first loop over an axis; NULL: there is none. */
static Num *first_step(const Verify *v, int axis)
{
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == axis) return v->path[i]->step;
    return NULL;
}

/* Blocks: the first loop goes over them, and there is room for all. */
static void blocks(Verify *v, const NestHold *h)
{
    Num *step = first_step(v, h->along), *n = v->n->axes[h->along].n;
    if (h->space != NEST_GLOBAL || !step || !n || !verify_same(v->u, h->depth, step))
        verify_fail(v, "hold %s: no loop over %s goes by its blocks", h->name,
                    verify_axis_name(v, h->along));
    else if (!verify_multiple(v->u, h->reach, h->depth))
        verify_fail(v, "hold %s: %s is not a number of its blocks", h->name,
                    num_text(v->u, h->reach));
}

/* Positions along the reduction that are kept: all that are looked for. */
static void depth(Verify *v, const NestHold *h)
{
    if (h->reach) {
        blocks(v, h);
        return;
    }
    Num *span = verify_span(v, h->along);
    bool all = !verify_is_open(v, h->along);
    if (!span)
        verify_fail(v, "hold %s: the length of %s is not known", h->name,
                    verify_axis_name(v, h->along));
    else if (all ? !verify_at_least(v->u, v->n->when, h->depth, span)
                 : !verify_same(v->u, h->depth, span))
        verify_fail(v, "hold %s: a depth of %s is not known to be enough for %s", h->name,
                    num_text(v->u, h->depth), num_text(v->u, span));
}

/* A row of vectors for copies of the loops inside, which never leave less. */
static void row(Verify *v, const NestHold *h)
{
    const NestStep *in = v->npath ? v->path[v->npath - 1] : NULL;
    const NestAxis *x = h->across < 0 ? NULL : &v->n->axes[h->across];
    bool whole = in && in->axis == h->across && in->bind == NEST_LOOP && !in->count &&
                 in->tail == NEST_WHOLE && h->width && verify_same(v->u, in->step, h->width);
    if (!whole || !x || x->nvars != 1 || !h->vectors || h->turned || h->reach || h->batch >= 0)
        verify_fail(v,
                    "hold %s: a row is of vectors, as wide as the whole steps of the loop around",
                    h->name);
    else if (!verify_same(v->u, num_op(v->u, FD_OP_MUL, verify_lane_count(v), h->vectors),
                          h->width))
        verify_fail(v, "hold %s: its vectors are not as wide as it is", h->name);
    else if (v->n->checks != GEN_PROVED || !lanes_possible(h->value, x->vars[0], verify_allowed(v)))
        verify_fail(v, "hold %s: what is kept cannot be computed in lanes", h->name);
}

static void panel(Verify *v, const NestHold *h)
{
    Unit *u = v->u;
    if (h->space == NEST_PRIVATE && h->along < 0) {
        row(v, h);
        return;
    }
    if (h->along < 0 || h->across < 0 || h->along == h->across || !h->width) {
        verify_fail(v, "hold %s: a panel lies along one axis and has a width across another",
                    h->name);
        return;
    }
    depth(v, h);
    Num *lanes = verify_lane_count(v);
    if (h->vectors && !verify_same(u, num_op(u, FD_OP_MUL, lanes, h->vectors), h->width) &&
        !verify_same(u, h->vectors, num_ceildiv(u, h->width, lanes)))
        verify_fail(v, "hold %s: its vectors are not as wide as it is", h->name);
    if (h->vectors && (v->n->axes[h->across].nvars != 1 ||
                       !lanes_possible(h->value, *v->n->axes[h->across].vars, verify_allowed(v))))
        verify_fail(v, "hold %s: what is kept cannot be computed in lanes", h->name);
    const NestAxis *x = &v->n->axes[h->along];
    if (h->turned && (h->vectors || !x->nvars ||
                      !lanes_possible(h->value, x->vars[x->nvars - 1], verify_allowed(v))))
        verify_fail(v, "hold %s: what is kept cannot be turned", h->name);
    Num *span = verify_span(v, h->across);
    bool fits = h->filled || (verify_is_open(v, h->across) && verify_same(u, h->width, span));
    if (!fits)
        verify_fail(v, "hold %s: its width is not the step of the loop over %s", h->name,
                    verify_axis_name(v, h->across));
    if (h->batch >= 0 && !verify_is_open(v, h->batch))
        verify_fail(v, "hold %s: there is no loop over %s around it", h->name,
                    verify_axis_name(v, h->batch));
}

/* Work-items fill it together: the loop around it, which is staged, has been shown to let them (verify.c). */
static void local(Verify *v, const NestHold *h)
{
    if (!v->npath || !v->path[v->npath - 1]->staged)
        verify_fail(v, "hold %s: local memory is filled in stages", h->name);
    panel(v, h);
    if (h->vectors || h->turned || h->filled || h->batch >= 0)
        verify_fail(v, "hold %s: local memory is filled here, by one value an item", h->name);
    if (!v->item_dims) verify_fail(v, "hold %s: local memory is for groups of work-items", h->name);
}

/* What is asked for must have an address here; that there is something matters not. */
void verify_ahead(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    bool reads = s->hold == NEST_READS, panel = s->hold >= 0, over = s->axis >= 0;
    if ((over && !reads && !panel) || !s->step != !(reads || panel) ||
        !s->count != !(panel && !over))
        verify_fail(v, "ahead: how far is said of reads and panels, how many lines of a panel");
    if (s->hold == NEST_READS) {
        for (int i = 0; i < n->def->nvars && !v->why; i++) verify_bound(v, n->def->vars[i], true);
        if (n->nreduces || n->nregs)
            verify_fail(v, "ahead reads: one value after the other is given");
        if (s->axis >= 0 && n->axes[s->axis].nvars != 1)
            verify_fail(v, "ahead reads: positions are those of one variable");
        return;
    }
    if (s->hold < 0) {
        if (!n->nregs || !fd_type_is_scalar(n->def->body->type))
            verify_fail(v, "ahead give: results of a scalar type are in registers");
        for (int i = 0; i < n->def->nvars && !v->why; i++) verify_bound(v, n->def->vars[i], true);
        for (int i = 0; i < n->part.naxes && !v->why; i++)
            if (!verify_is_open(v, n->part.axes[i]))
                verify_fail(v, "ahead give: there is no loop over %s around it",
                            verify_axis_name(v, n->part.axes[i]));
        return;
    }
    const NestHold *h = &n->holds[s->hold];
    if (!(v->held >> s->hold & 1) || (h->space != NEST_GLOBAL && h->space != NEST_PRIVATE))
        verify_fail(v, "ahead %s: there is no such panel here", h->name);
    const int axes[] = {h->across, h->along, s->axis < 0 ? h->along : s->axis};
    for (int i = 0; i < 3 && !v->why; i++)
        if (!verify_is_open(v, axes[i]))
            verify_fail(v, "ahead %s: there is no loop over %s around it", h->name,
                        verify_axis_name(v, axes[i]));
}

void verify_hold(Verify *v, const NestStep *s)
{
    const NestHold *h = &v->n->holds[s->hold];
    ScalarKind k = result_kind(h->value);
    if (!fd_type_is_scalar(h->value->type) || k == SC_BOOL || k == SC_HALF) {
        verify_fail(v, "hold %s: values of this type are not kept", h->name);
        return;
    }
    if (h->filled && h->space != NEST_GLOBAL)
        verify_fail(v, "hold %s: only global memory stays from nest to nest", h->name);
    if (v->held >> s->hold & 1) verify_fail(v, "hold %s is there already", h->name);
    switch (h->space) {
    case NEST_REGISTERS: registers(v, h); break;
    case NEST_PRIVATE:
    case NEST_GLOBAL: panel(v, h); break;
    case NEST_LOCAL: local(v, h); break;
    }
    v->held |= 1u << s->hold;
}
