/* Legality of nests: what lowering takes for granted, shown from the nest alone. What cannot be
 * shown is refused. */
#include "verify.h"

#include <stdlib.h>

#include "../recipes/recipe.h"

void verify_fail(Verify *v, const char *fmt, ...)
{
    if (v->why) return;
    Text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    v->why = arena_strndup(v->u->arena, t.data, t.len);
    text_free(&t);
}

/* ---- loops ------------------------------------------------------------------------------------- */

static bool is_positive(Num *x)
{
    return !x || !fd_is_const(x) || x->value.i > 0;
}

/* Each dimension once; groups are outermost. */
static void dims(Verify *v, const NestStep *s)
{
    unsigned *seen = s->bind == NEST_GROUP ? &v->group_dims : &v->item_dims;
    if (*seen >> s->dim & 1) verify_fail(v, "dimension %d is taken already", s->dim);
    *seen |= 1u << s->dim;
    for (int i = 0; i < v->npath; i++) {
        NestBind b = v->path[i]->bind;
        if (s->bind == NEST_GROUP ? b != NEST_GROUP && b != NEST_ITEM
                                  : b == NEST_UNROLL || b == NEST_LANES)
            verify_fail(v, "%s are not launched inside a loop",
                        s->bind == NEST_GROUP ? "groups" : "work-items");
    }
}

/* Copies that no further loop in steps is around. */
static bool has_copies(const NestStep *s, int axis)
{
    for (; s; s = s->next) {
        bool over = s->kind == NEST_FOR && s->axis == axis;
        if (over ? verify_is_copy(s) && s->tail != NEST_GUARD : has_copies(s->first, axis))
            return true;
    }
    return false;
}

/* Vectors of which the last takes a part: where no lane's value is an element, it is an identity. */
static void masked(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    const NestStep *in = s->first;
    bool lanes = in && !in->next && in->kind == NEST_FOR && in->bind == NEST_LANES &&
                 in->axis == s->axis && in->first && in->first->kind == NEST_TAKE &&
                 !in->first->next;
    lanes = lanes && n->lanes_axis == s->axis &&
            verify_same(v->u, s->step, nest_lane_count(v->u, n->lanes));
    if (!lanes || n->checks != GEN_NOTED || n->def->nbeside || n->keys.axis >= 0)
        verify_fail(v, "masked: one vector along the reduction is taken, whose reads are noted");
    for (int r = 0; !v->why && r < n->nreduces; r++)
        if (!nest_is_reduced(n, s->axis, r, r + 1) || !fd_has_identity(n->reduces[r]) ||
            fd_op_of(n->reduces[r]) == FD_OP_NONE)
            verify_fail(v, "masked: lanes that take nothing need an operation with an identity");
}

/* The last turn of a loop in steps. */
static void tail(Verify *v, const NestStep *s)
{
    if (v->part >= 0 && v->n->boxes[v->part].axis == s->axis && s->tail != NEST_WHOLE) {
        verify_part_loop(v, s, has_copies(s->first, s->axis));
        return;
    }
    const Nest *n = v->n;
    const char *name = verify_axis_name(v, s->axis);
    Num *span = verify_span(v, s->axis);
    bool reduced = nest_is_reduced(v->n, s->axis, 0, n->nreduces);
    bool once = n->def->node->self || def_is_once(v->u, n->def);
    switch (s->tail) {
    case NEST_CUT:
        if (has_copies(s->first, s->axis) && !verify_is_clamped(v, s->axis) &&
            !verify_multiple(v->u, span, s->step))
            verify_fail(v,
                        "the last step of %s may not be whole: copies and lanes need back, clamp "
                        "or whole",
                        name);
        break;
    case NEST_BACK:
        if (reduced || n->block_axis >= 0 || once || nest_find(s, NEST_RESUME))
            verify_fail(v, "%s does not go back where results are accumulated in place", name);
        else if (!verify_at_least(v->u, n->when, n->axes[s->axis].n, s->step))
            verify_fail(v, "%s goes back, but is not known to have %s positions", name,
                        num_text(v->u, s->step));
        break;
    case NEST_SLIDE:
        if (s->bind != NEST_GROUP || verify_is_open(v, s->axis))
            verify_fail(v, "only groups of all of %s slide", name);
        for (int i = 0; i < n->nholds; i++)
            if (n->holds[i].space == NEST_GLOBAL && n->holds[i].across == s->axis)
                verify_fail(v, "panels across %s stay where they are: it does not slide", name);
        if (n->block_axis >= 0 || once || nest_find(s, NEST_RESUME))
            verify_fail(v, "%s does not slide where results are accumulated in place", name);
        if (reduced) verify_fail(v, "%s is reduced: its last value would count twice", name);
        break;
    case NEST_CLAMP:
        if (reduced) verify_fail(v, "%s is reduced: its last value would count twice", name);
        if (n->block_axis >= 0 && !verify_multiple(v->u, span, s->step) &&
            verify_is_open(v, s->axis))
            verify_fail(v, "steps of %s do not divide the loop around it", name);
        break;
    case NEST_GUARD:
        if (reduced && verify_is_open(v, s->axis)) { /* shares are whole steps */
            for (int i = 1; i < v->npath; i++) {
                const NestStep *in = v->path[i];
                for (int k = 0; in->axis == s->axis && k < i; k++)
                    if (v->path[k]->axis == s->axis &&
                        !verify_multiple(v->u, v->path[k]->step, in->step))
                        verify_fail(v, "steps of %s do not divide the loop around it", name);
            }
        }
        break;
    case NEST_MASKED: masked(v, s); break;
    case NEST_WHOLE: {
        bool more = false;
        for (const NestStep *k = s->next; k; k = k->next)
            more = more || (k->kind == NEST_FOR && k->axis == s->axis && k->bind == NEST_LOOP &&
                            !k->count && k->tail != NEST_WHOLE);
        if (!more) verify_fail(v, "no loop over %s follows that takes what is left", name);
        break;
    }
    }
}

static void down(Verify *v, const NestStep *s)
{
    if (s->bind != NEST_LOOP || s->count || !num_is(s->step, 1) || verify_is_open(v, s->axis))
        verify_fail(v, "%s goes down: one loop, one by one", verify_axis_name(v, s->axis));
}

/* Is there a loop over this variable of the definition around? */
static bool is_around(const Verify *v, const FdNode *var)
{
    for (int p = 0; p < v->npath; p++)
        for (int q = 0; q < v->n->axes[v->path[p]->axis].nvars; q++)
            if (v->n->axes[v->path[p]->axis].vars[q] == var) return true;
    return false;
}

/* Points of a recurrence come in its order; only what stays where it is, or is steps of a scan, runs
 * in parallel. */
static void ordered(Verify *v, const NestStep *s)
{
    const Def *d = v->n->def;
    const NestAxis *x = &v->n->axes[s->axis];
    if (v->n->scan && s->axis == v->n->carry_axis) return;
    for (int i = 0; i < x->nvars; i++) {
        int dim = 0, place = 0;
        while (dim < d->nvars && d->vars[dim] != x->vars[i]) dim++;
        if (dim == d->nvars || recipe_stays(d, dim)) continue;
        bool same = true;
        for (; place < d->nvars && abs(d->node->order[place]) != dim + 1; place++) {
            int other = abs(d->node->order[place]) - 1; /* loops over those before are around */
            same = same && other >= 0 && (recipe_stays(d, other) || is_around(v, d->vars[other]));
        }
        for (int k = place + 1; same && k < d->nvars; k++) { /* and over those after are not */
            int other = abs(d->node->order[k]) - 1;
            same = recipe_stays(d, other) || !is_around(v, d->vars[other]);
        }
        same = same && place < d->nvars && (d->node->order[place] < 0) == x->down;
        if (s->bind != NEST_LOOP || s->count || x->nvars > 1 || !num_is(s->step, 1) || !same)
            verify_fail(v, "%s is not in the order of the recurrence",
                        verify_axis_name(v, s->axis));
    }
}

/* Blocks, a given number of them: all that there are, and empty ones. */
static void turns(Verify *v, const NestStep *s)
{
    Num *n = v->n->axes[s->axis].n;
    if (verify_is_open(v, s->axis) || !n ||
        !verify_at_least(v->u, NULL, s->count, num_ceildiv(v->u, n, s->step)))
        verify_fail(v, "%s turns over %s are not known to be all", num_text(v->u, s->count),
                    verify_axis_name(v, s->axis));
}

/* A group's items fetch what is held in local memory together, and use it in one loop; all numbers are known. */
static void staged(Verify *v, const NestStep *s)
{
    const char *name = verify_axis_name(v, s->axis);
    const NestStep *in = s->first;
    bool known = s->bind == NEST_LOOP && s->tail == NEST_CUT && !s->count && fd_is_const(s->step);
    for (int i = 0; i < v->npath; i++) {
        const NestStep *p = v->path[i];
        known = known && p->tail != NEST_GUARD && (p->bind != NEST_LOOP || !v->item_dims) &&
                (p->bind != NEST_ITEM || (p->dim < 2 && fd_is_const(p->count)));
    }
    for (; in && in->kind == NEST_HOLD; in = in->next) {
        const NestHold *h = &v->n->holds[in->hold];
        known = known && h->space == NEST_LOCAL && h->along == s->axis && h->width && h->depth &&
                fd_is_const(h->width) && h->depth == s->step;
    }
    bool uses = in && in != s->first && !in->next && in->kind == NEST_FOR && in->axis == s->axis &&
                in->bind == NEST_LOOP && in->tail == NEST_CUT && num_is(in->step, 1) &&
                !nest_loops_over(in->first, s->axis);
    if (!known || !uses)
        verify_fail(
            v, "stages of %s are tiles in local memory of known sizes, and one loop that uses them",
            name);
}

/* Shares of work-items: all that the loop around covers. */
static void shares(Verify *v, const NestStep *s)
{
    Num *all = num_op(v->u, FD_OP_MUL, s->step, s->count);
    if (!verify_same(v->u, all, verify_span(v, s->axis)))
        verify_fail(v, "the work-items over %s do not cover %s positions",
                    verify_axis_name(v, s->axis), num_text(v->u, verify_span(v, s->axis)));
}

static void open_loop(Verify *v, const NestStep *s)
{
    const NestAxis *x = &v->n->axes[s->axis];
    const char *name = verify_axis_name(v, s->axis);
    const NestRegs *regs = verify_registers(v, s->axis);
    bool counted = verify_is_copy(s);
    if (!is_positive(s->step) || !is_positive(s->count))
        verify_fail(v, "a loop over %s makes no steps", name);
    else if ((s->bind == NEST_UNROLL || s->bind == NEST_ITEM) && !s->count)
        verify_fail(v, "the loop over %s lacks 'times'", name);
    else if ((s->bind == NEST_GROUP || s->bind == NEST_LANES) && s->count)
        verify_fail(v, "the loop over %s has no 'times'", name);
    else if ((s->tail == NEST_WHOLE && s->bind != NEST_LOOP) ||
             (s->tail == NEST_GUARD && s->bind != NEST_ITEM) ||
             (s->tail != NEST_CUT && (counted || s->count) && s->bind != NEST_ITEM) ||
             (s->tail == NEST_BACK && s->bind == NEST_ITEM))
        verify_fail(v, "a loop of this kind over %s has no such end", name);
    else if (!x->n && !(v->ranged >> s->axis & 1) &&
             (s->bind != NEST_LOOP || s->count || !num_is(s->step, 1) || s->tail != NEST_CUT ||
              nest_loops_over(s->first, s->axis)))
        verify_fail(v, "the length of %s is known in the kernel only: one loop, one by one", name);
    else if (s->bind == NEST_LANES && (x->nvars != 1 || !num_is(s->step, 1)))
        verify_fail(v, "lanes are of one variable");
    else if (s->bind == NEST_LANES &&
             (verify_lanes(v) >= 0 || (v->n->checks == GEN_CHECKED && !v->at)))
        verify_fail(v, v->n->checks == GEN_CHECKED && !v->at ? "what is checked is not in lanes"
                                                             : "lanes inside lanes");
    else if ((s->bind == NEST_GROUP || s->bind == NEST_ITEM) && v->at)
        verify_fail(v, "groups and work-items are launched outside of boxes");
    else if (s->run && (!fd_is_const(s->run) || !verify_multiple(v->u, s->count, s->run)))
        verify_fail(v, "the copies of %s are not whole runs", name);
    else if (s->bind == NEST_UNROLL && regs &&
             !(verify_same(v->u, regs->count, s->count) && verify_same(v->u, regs->step, s->step) &&
               regs->run == s->run))
        verify_fail(v, "the copies of %s are not those of the registers", name);
    for (int i = 0; !v->why && !counted && i < v->npath; i++)
        if (v->path[i]->axis == s->axis && verify_is_copy(v->path[i]))
            verify_fail(v, "a loop over %s inside its copies", name);
    if (!v->why && s->count && !counted) (verify_is_share(s) ? shares : turns)(v, s);
    if (!v->why && (s->bind == NEST_GROUP || s->bind == NEST_ITEM)) dims(v, s);
    if (!v->why && s->staged) staged(v, s);
    if (!v->why && x->down && !v->n->scan) down(v, s);
    if (!v->why && v->n->def->node->self) ordered(v, s);
    if (!v->why) tail(v, s);
}

void verify_for(Verify *v, const NestStep *s)
{
    if (v->npath == VERIFY_DEEPEST) {
        verify_fail(v, "too many loops in each other");
        return;
    }
    open_loop(v, s);
    if (v->why) return;
    if (!s->first) verify_fail(v, "the loop over %s holds nothing", verify_axis_name(v, s->axis));
    Verify before = *v;
    v->path[v->npath++] = s;
    verify_steps(v, s->first);
    before.why = v->why;
    before.taken = v->taken;
    if (s->tail != NEST_WHOLE) before.whole = v->whole;
    before.group_dims = v->group_dims, before.item_dims = v->item_dims;
    *v = before;
}

/* ---- steps ------------------------------------------------------------------------------------- */

void verify_place(Verify *v, const NestStep *s)
{
    const NestRegs *regs = verify_registers(v, s->axis);
    if (!s->count || !regs || !num_is(regs->step, 1) || !verify_same(v->u, regs->count, s->count))
        verify_fail(v, "places of %s are of its registers, one by one",
                    verify_axis_name(v, s->axis));
}

void verify_range(Verify *v, const NestStep *s)
{
    const bool shared = s->kind == NEST_SHARED;
    const NestAxis *x = &v->n->axes[s->axis];
    const char *name = verify_axis_name(v, s->axis);
    if (x->n || x->nvars != 1 || !x->doms->lo)
        verify_fail(v, "the length of %s is known before", name);
    else if (verify_is_open(v, s->axis))
        verify_fail(v, "the range of %s is worked out inside of it", name);
    else if (shared && (v->n->nregs != 1 || v->n->regs[0].axis != v->n->lanes_axis ||
                        !verify_is_open(v, v->n->lanes_axis) || v->begun >= 0 ||
                        !nest_is_reduced(v->n, s->axis, 0, v->n->nreduces)))
        verify_fail(v, "what lanes share of %s begins the results in registers along them", name);
    if (v->why) return;
    verify_bound(v, x->doms->lo, shared);
    verify_bound(v, x->doms->hi, shared);
    v->ranged |= 1u << s->axis;
}

void verify_fill(Verify *v, const NestStep *s)
{
    (void)s;
    verify_fail(v, "only lowering fills");
}

static void step(Verify *v, const NestStep *s)
{
    static void (*const verify[])(Verify *, const NestStep *) = {
#define BIND(name, word, ...)
#define STEP(name, word, lower, verify, ...) [NEST_##name] = verify,
#include "../nest/steps.def"
    };
    bool loop = s->kind == NEST_FOR,
         table = s->kind == NEST_START || s->kind == NEST_JOIN || s->kind == NEST_SAVE;
    if (v->n->wave.of && !loop)
        verify_wave(v, s);
    else if (v->n->carry_axis >= 0 && !loop)
        verify_carry(v, s);
    else if (v->n->keys.entries && table)
        verify_table(v, s);
    else
        verify[s->kind](v, s);
}

void verify_inside(Verify *v, const NestStep *first)
{
    const NestStep *last = NULL;
    for (const NestStep *s = first; s && !v->why; last = s, s = s->next) {
        verify_box_order(v, last, s);
        if (!v->why) step(v, s);
    }
    if (!v->why) verify_box_order(v, last, NULL);
}

void verify_steps(Verify *v, const NestStep *first)
{
    verify_inside(v, first);
    if (v->begun == v->npath && !v->given) verify_fail(v, "results are neither given nor saved");
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Patches divide the group. */
static void patches(Verify *v)
{
    for (int i = 0; i < 2; i++) {
        Num *count = nest_items(v->n->root.first, 1 - i);
        int size = v->n->patch[i];
        if (!size || !count || !fd_is_const(count) || count->value.i % size)
            verify_fail(v, "patches do not divide the group");
    }
}

static void results(Verify *v)
{
    const Nest *n = v->n;
    for (int r = 0; r < n->nreduces; r++)
        if (n->reduces[r]->init)
            verify_fail(v, "a fold is no result: it begins with its own value");
    for (int i = 0; i < n->nregs; i++) {
        if (!is_positive(n->regs[i].count) || !is_positive(n->regs[i].step))
            verify_fail(v, "there are no registers");
        if (i && n->regs[0].axis == n->regs[1].axis)
            verify_fail(v, "registers lie along different axes");
    }
    if (n->lanes_axis >= 0 && n->axes[n->lanes_axis].nvars != 1)
        verify_fail(v, "lanes are of one variable");
    if (n->patch[0] || n->patch[1]) patches(v);
    if (n->lanes_axis >= 0 && n->nregs && !verify_registers(v, n->lanes_axis))
        verify_fail(v, "vectors lie along an axis of the registers");
    for (int a = 0; a < n->naxes; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < n->axes[a].nvars; i++)
                for (int k = 0; k < n->axes[b].nvars; k++)
                    if (n->axes[a].vars[i] == n->axes[b].vars[k])
                        verify_fail(v, "variable %s is in two axes",
                                    nest_word(n->axes[a].vars[i]->name));
}

const char *nest_verify(Unit *u, const Nest *n)
{
    Verify v = {.u = u, .n = n, .begun = -1, .carried = -1, .part = -1};
    results(&v);
    if (n->sums &&
        (n->nreduces || n->checks != GEN_PROVED || nest_find_loop(n->root.first, NEST_LANES)))
        verify_fail(&v, "sums are in lanes where nothing else is, and nothing is checked");
    if (n->carry_axis >= 0) verify_carry_head(&v);
    if (!n->root.first) verify_fail(&v, "the nest does nothing");
    if (!v.why) verify_steps(&v, n->root.first);
    bool all = v.whole == (1u << n->nreduces) - 1;
    if (!v.why && !all && nest_find(n->root.first, NEST_SCATTER))
        verify_fail(&v, "scatter: not all results have been taken");
    return v.why;
}
