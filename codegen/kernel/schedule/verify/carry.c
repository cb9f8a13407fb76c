/* Legality of nests that carry values of a recurrence: in its order, each element once, and what is
 * carried is that of the positions before. */
#include "verify.h"

static bool is_lines(const Verify *v, int axis)
{
    return axis != v->n->carry_axis;
}

/* A group takes the steps of a tile together: it is what the loop steps by. */
static void tile(Verify *v)
{
    const NestStep *s = v->path[v->npath - 1];
    Num *steps = num_op(v->u, FD_OP_MUL, v->n->scan_items, v->n->scan_each);
    if (s->axis != v->n->carry_axis || s->bind != NEST_LOOP || s->tail != NEST_CUT || s->count ||
        !verify_same(v->u, s->step, steps))
        verify_fail(v, "work-items take tiles of %s steps together", num_text(v->u, steps));
}

/* Loops from where values began to be carried are over the axis along which they are. */
static void between(Verify *v, const char *what, int begun)
{
    if (begun < 0) {
        verify_fail(v, "%s: nothing is carried yet", what);
        return;
    }
    for (int i = begun; i < v->npath; i++)
        if (is_lines(v, v->path[i]->axis))
            verify_fail(v, "%s: a loop over %s is between what is carried and its use", what,
                        verify_axis_name(v, v->path[i]->axis));
    if (!verify_is_open(v, v->n->carry_axis))
        verify_fail(v, "%s: there is no loop over %s", what, verify_axis_name(v, v->n->carry_axis));
    else if (v->n->scan_items)
        tile(v);
    else
        verify_cover(v, v->n->carry_axis, false);
    int lanes = verify_lanes(v);
    for (int k = 0; lanes == v->n->carry_axis && k < v->n->scan->n; k++)
        verify_in_lanes(v, v->n->scan->step[k], lanes, false);
}

static void begin(Verify *v, bool resume)
{
    const Nest *n = v->n;
    if (v->carried >= 0) verify_fail(v, "values are carried already");
    v->carried = v->npath;
    v->resumed = resume;
    bool group = verify_has(v, n->carry_axis, NEST_GROUP);
    for (int i = 0; i < v->npath; i++)
        if (!is_lines(v, v->path[i]->axis) && v->path[i]->bind != NEST_GROUP)
            verify_fail(v, "values are carried along %s from before its loops",
                        verify_axis_name(v, n->carry_axis));
    if (!resume && !n->scan) verify_fail(v, "only steps of a scan are taken together");
    if (group != (n->part.naxes > 0))
        verify_fail(v, "groups over %s, and only they, need parts",
                    verify_axis_name(v, n->carry_axis));
    for (int i = 0; i < n->def->nvars; i++)
        if (n->def->vars[i] != n->axes[n->carry_axis].vars[0])
            verify_bound(v, n->def->vars[i], false);
}

static void part(Verify *v)
{
    const NestPart *p = &v->n->part;
    int last = p->naxes - 1;
    const NestStep *group = NULL;
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == v->n->carry_axis && v->path[i]->bind == NEST_GROUP)
            group = v->path[i];
    if (last > 1 || p->axes[last] != v->n->carry_axis || !group || !p->lengths[last]) {
        verify_fail(v, "a part lies along the other variables, then along %s",
                    verify_axis_name(v, v->n->carry_axis));
        return;
    }
    for (int i = 0; i < last; i++)
        if (!verify_is_open(v, p->axes[i]))
            verify_fail(v, "the part lies along %s, over which there is no loop",
                        verify_axis_name(v, p->axes[i]));
    if (!verify_same(v->u, p->lengths[last],
                     num_ceildiv(v->u, v->n->axes[v->n->carry_axis].n, group->step)))
        verify_fail(v, "the part is not as long as there are groups over %s",
                    verify_axis_name(v, v->n->carry_axis));
    for (int k = 0; k < nest_places(v->n); k++)
        if (p->temps[k] < 0) verify_fail(v, "results of their own are no parts");
}

void verify_carry_head(Verify *v)
{
    const Nest *n = v->n;
    const NestAxis *x = &n->axes[n->carry_axis];
    bool own = false;
    for (int i = 0; x->nvars == 1 && i < n->def->nvars; i++)
        own = own || n->def->vars[i] == x->vars[0];
    if (!own || !n->inside)
        verify_fail(v, "values are carried along a variable of an interior");
    else if (n->nreduces || n->nregs || n->checks == GEN_CHECKED)
        verify_fail(v, "what carries values has no results, and checks nothing");
    else if (!fd_type_is_scalar(n->def->body->type))
        verify_fail(v, "records are not carried");
    else if (n->scan && n->scan->dim != nest_carry_dim(n))
        verify_fail(v, "the recurrence is no scan along %s", verify_axis_name(v, n->carry_axis));
}

void verify_carry(Verify *v, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: begin(v, false); break;
    case NEST_RESUME:
        begin(v, true);
        if (v->n->part.naxes) part(v);
        break;
    case NEST_TAKE:
        between(v, "take", v->carried);
        if (v->resumed) verify_fail(v, "take: elements are given, their steps are not taken");
        break;
    case NEST_SAVE:
        if (v->carried != v->npath || v->resumed) verify_fail(v, "save: there are no steps here");
        part(v);
        break;
    case NEST_GIVE:
        between(v, "give", v->carried);
        if (!v->resumed) verify_fail(v, "give: the element before is not there");
        for (int i = 0; !v->why && i < v->n->def->nvars; i++)
            verify_bound(v, v->n->def->vars[i], false);
        break;
    default: verify_fail(v, "no such step where values are carried"); break;
    }
}

/* ---- wavefronts -------------------------------------------------------------------------------- */

/* Axis i is of the variable that the wavefront has there, over which there is no loop. */
static void wave_axis(Verify *v, int i)
{
    const NestWave *w = &v->n->wave;
    const NestAxis *x = &v->n->axes[w->axes[i]];
    int dim = i ? w->of->column : w->of->row;
    if (x->nvars != 1 || x->vars[0] != v->n->def->vars[dim])
        verify_fail(v, "the wavefront does not run along %s", verify_axis_name(v, w->axes[i]));
    else if (verify_is_open(v, w->axes[i]))
        verify_fail(v, "there is a loop over %s around the wavefront",
                    verify_axis_name(v, w->axes[i]));
    else if (x->down != v->n->inside->down[dim])
        verify_fail(v, "%s is not in the order of the recurrence", verify_axis_name(v, w->axes[i]));
    else if (fd_is_const(w->steps[i]) && w->steps[i]->value.i < 1)
        verify_fail(v, "there are no tiles");
}

void verify_wave(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    const NestWave *w = &n->wave;
    if (s->kind != NEST_GIVE) verify_fail(v, "a wavefront is given, nothing else");
    if (!n->inside || n->carry_axis >= 0 || n->nreduces || n->nregs || n->nholds)
        verify_fail(v, "a wavefront is that of an interior, and all that the nest does");
    for (int i = 0; i < 2 && !v->why; i++) wave_axis(v, i);
    /* a step may reach one column into the tile beside it, which is not there yet */
    if (!v->why && w->of->skew > 1 &&
        !verify_at_least(v->u, n->when, w->steps[1], n->axes[w->axes[1]].n))
        verify_fail(v, "tiles are as wide as %s", verify_axis_name(v, w->axes[1]));
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->bind != NEST_GROUP || v->path[i]->dim == 0)
            verify_fail(v, "around a wavefront there are groups of other dimensions");
    for (int d = 0; d < n->def->nvars && !v->why; d++)
        if (d != w->of->row && d != w->of->column) verify_bound(v, n->def->vars[d], false);
}
