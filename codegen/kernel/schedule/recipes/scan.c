/* Scans (analysis/scan.h): the steps of many elements are taken together.
 *
 *   scan_rows    enough lines for all units: a line for each work-item, in lanes along it
 *   scan_parts   few lines: what the steps of a part of a line come to;
 *   scan_apply   then each part begins with the last element before the interior and the steps of
 *                the parts before it
 *
 * On a CPU in lanes, where the recurrence runs along the last variable; without lanes, and on a GPU,
 * parts are worth it for many units only. Keeps: integers exactly; reals are added in another order,
 * the same for the same device. */
#include "recipe.h"

typedef struct Form {
    Unit *u;
    const Interior *in;
    const Scan *scan;
    bool lanes;
    bool stream;
    int width; /* KIR_V4 or KIR_V8 */
    Num *
        each; /* steps of a work-item, of tiles that a group takes together; NULL: there are none */
    Num *share, *parts;
    int temps[SCAN_NUMBERS];
} Form;

static bool in_lanes(const Unit *u, const Interior *in, const Scan *s)
{
    if (u->options->family == CG_GPU || s->dim != in->def->nvars - 1) return false;
    for (int k = 0; k < s->n; k++)
        if (!lanes_possible(s->step[k], in->def->vars[s->dim], 0)) return false;
    return true;
}

Num *recipe_scan_skip(Unit *u, Interior *in, int v)
{
    enum { LONG = 4096 };
    const Scan *s = scan_of(u, in, u->options->precise);
    Num *skip = in->skip[v], *n = plan_n(u, &in->def->doms[v]);
    if (!s || s->dim != v || in->down[v] || num_is(skip, 0) || !in_lanes(u, in, s)) return skip;
    Num *lanes = nest_lane_count(u, nest_lanes_for(widest_bytes(in->def->body)));
    return num_select(u, num_op(u, FD_OP_GE, n, draw_num(u, P_SCAN_LONG, LONG)),
                      num_op(u, FD_OP_MIN, num_roundup(u, skip, lanes), n), skip);
}

static Nest *scan_nest(const Form *f, const char *name, Num *when, int *lines, int *axis)
{
    const Def *d = f->in->def;
    Unit *u = f->u;
    Nest *n = nest_inside(u, name, f->in, when);
    int dim = f->scan->dim;
    *lines = nest_axis_some(u, n, ~(1u << dim));
    *axis = nest_axis_of(u, n, d, dim, dim + 1);
    n->axes[*axis].down = f->in->down[dim];
    nest_axis_cut(u, n, *axis, f->in->skip[dim], NULL);
    n->scan = f->scan;
    n->carry_axis = *axis;
    n->carried = 1;
    n->lanes = f->width;
    if (f->each) n->scan_each = f->each, n->scan_items = recipe_group(u);
    if (f->lanes) n->lanes_axis = *axis;
    return n;
}

static void along(const Form *f, Nest *n, NestStep *in, NestKind kind)
{
    Unit *u = f->u;
    int axis = n->carry_axis;
    if (f->lanes) {
        NestStep *turn = nest_loop(u, in, axis, nest_lane_count(u, f->width), NEST_WHOLE);
        nest_step(u, nest_lanes(u, turn, axis), kind);
    }
    Num *step = f->each ? num_op(u, FD_OP_MUL, recipe_group(u), f->each) : NULL;
    nest_step(u, nest_loop(u, in, axis, step, NEST_CUT), kind);
}

static void rows_nest(const Form *f, Num *rows, Num *when)
{
    Unit *u = f->u;
    int lines, axis;
    Nest *n = scan_nest(f, "scan_rows", when, &lines, &axis);
    NestStep *in = &n->root;
    if (lines >= 0) {
        Num *chunk =
            recipe_lines_each(u, rows, f->in->n[f->scan->dim], draw(u, P_SCAN_LINES, 4096));
        if (f->each) chunk = NULL;
        in = nest_group(u, in, lines, 0, chunk, NEST_CUT);
        if (!f->each) in = nest_loop(u, in, lines, NULL, NEST_CUT);
    }
    n->stream = f->stream;
    nest_step(u, in, NEST_RESUME);
    along(f, n, in, NEST_GIVE);
    nest_lower(u, n);
}

static void parts_nest(const Form *f, bool apply, Num *when)
{
    Unit *u = f->u;
    int lines, axis;
    Nest *n = scan_nest(f, apply ? "scan_apply" : "scan_parts", when, &lines, &axis);
    NestPart *p = &n->part;
    NestStep *in = &n->root;
    for (int k = 0; k < f->scan->n; k++) p->temps[k] = f->temps[k];
    n->stream = f->stream && apply;
    if (lines >= 0) {
        p->axes[p->naxes++] = lines;
        in = nest_group(u, in, lines, 1, NULL, NEST_CUT);
    }
    p->lengths[p->naxes] = f->parts;
    p->axes[p->naxes++] = axis;
    in = nest_group(u, in, axis, 0, f->share, NEST_CUT);
    nest_step(u, in, apply ? NEST_RESUME : NEST_START);
    along(f, n, in, apply ? NEST_GIVE : NEST_TAKE);
    if (!apply) nest_step(u, in, NEST_SAVE);
    nest_lower(u, n);
}

Num *recipe_scan(Unit *u, Interior *in, Num *when)
{
    enum { PART = 8192 }; /* elements that are worth a part */
    Form f = {.u = u, .in = in, .scan = scan_of(u, in, u->options->precise)};
    if (!f.scan) return NULL;
    f.lanes = in_lanes(u, in, f.scan);
    f.stream = f.lanes && draw_bool(u, P_MAP_STREAM, in->def->temp < 0 && !def_is_once(u, in->def));
    size_t widest = widest_bytes(in->def->body);
    f.width = nest_lanes_for(widest);
    if (u->options->family == CG_GPU) f.each = num_int(u, widest > 4 ? 4 : 8);
    bool beside = !f.lanes && in->stays[in->def->nvars - 1] && u->options->family == CG_CPU;
    if (beside) return NULL; /* lines are neighbours: lanes across them */
    Num *one = num_int(u, 1), *rows = one, *n = in->n[f.scan->dim];
    for (int v = 0; v < in->def->nvars; v++)
        if (v != f.scan->dim) rows = num_op(u, FD_OP_MUL, rows, in->n[v]);
    rows = num_let(u, "rows", rows);
    /* Steps are taken twice: without lanes that wants units. */
    Num *units = num_fact(u, NUM_UNITS), *each = num_int(u, f.each ? 8 : 4);
    Num *wish = num_ceildiv(u, num_op(u, FD_OP_MUL, units, each), rows);
    wish = num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, n, draw_num(u, P_SCAN_PART, PART)));
    if (!f.lanes && !f.each)
        wish = num_select(u, num_op(u, FD_OP_GE, units, draw_num(u, P_SCAN_UNITS, 4)), wish, one);
    Num *share = num_ceildiv(u, n, num_op(u, FD_OP_MAX, wish, one));
    if (f.lanes) share = num_roundup(u, share, nest_lane_count(u, f.width));
    if (f.each)
        share = num_roundup(u, num_op(u, FD_OP_MAX, share, one),
                            num_op(u, FD_OP_MUL, recipe_group(u), f.each));
    f.share = num_let(u, "share", num_op(u, FD_OP_MAX, share, one));
    f.parts = num_let(u, "parts", num_ceildiv(u, n, f.share));
    Num *several = num_and(u, when, num_op(u, FD_OP_GT, f.parts, one));
    several = num_let(u, "several", several);
    Num *bytes = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, rows, f.parts), num_int(u, 8));
    for (int k = 0; k < f.scan->n; k++)
        f.temps[k] = plan_temp(u, num_select(u, several, bytes, num_int(u, 0)));
    rows_nest(&f, rows, num_and(u, when, num_not(u, several)));
    parts_nest(&f, false, several);
    parts_nest(&f, true, several);
    return when;
}
