/* Legality of boxes: their parts are all there, and what is inside keeps to them. */
#include "../../../../fdag/index/facts/facts.h"
#include "verify.h"

/* A condition of variables around. */
static void turn(Verify *v, int box, const FdNode *cond)
{
    verify_bound(v, cond, false);
    if (!nest_condition_reads(v->u, v->n, v->at, box, cond))
        verify_fail(v, "the box %s reads what may be outside", v->n->boxes[box].name);
}

static void along_axis(Verify *v, const NestStep *s)
{
    const int box = s->box;
    const NestBox *b = &v->n->boxes[box];
    const NestAxis *x = &v->n->axes[b->axis];
    if (x->nvars != 1 || !x->n || x->down)
        verify_fail(v, "the box %s is along one variable, whose range is known before", b->name);
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == b->axis && verify_is_copy(v->path[i]))
            verify_fail(v, "the box %s inside of copies or lanes", b->name);
    if (v->part >= 0 && v->n->boxes[v->part].axis == b->axis)
        verify_fail(v, "the box %s inside of another along its axis", b->name);
    if (!nest_loops_over(s->first, b->axis))
        verify_fail(v, "a part of the box %s without a loop over it", b->name);
    for (int i = 0; !v->why && i < b->nconds; i++) {
        bool lower;
        const FdNode *cond = b->conds[i];
        if (nest_is_turn(v->n, box, cond)) {
            turn(v, box, cond);
            continue;
        }
        const FdNode *value = fd_solve(v->u->fd, cond, x->vars[0], &lower);
        if (value) verify_bound(v, value, false);
        if (value && !nest_condition_reads(v->u, v->n, v->at, box, cond))
            verify_fail(v, "the box %s reads what may be outside", b->name);
        else if (!value && !num_of(v->u, cond))
            verify_fail(v, "the box %s: a condition bounds no position", b->name);
    }
}

/* The step that parts the positions, or takes one of two turns. */
static void enter(Verify *v, const NestStep *s)
{
    const NestBox *b = &v->n->boxes[s->box];
    bool turns = s->kind == NEST_WHEN || s->kind == NEST_UNLESS;
    if (v->n->nreduces || v->n->nholds) verify_fail(v, "what has boxes takes and holds nothing");
    if (turns != (b->axis < 0))
        verify_fail(v, "the box %s is along %s axis", b->name, turns ? "an" : "no");
    if (!nest_find(s->first, NEST_GIVE))
        verify_fail(v, "a part of the box %s gives nothing", b->name);
    if (v->why) return;
    if (!turns) along_axis(v, s);
    for (int i = 0; turns && !v->why && i < b->nconds; i++) turn(v, s->box, b->conds[i]);
    v->at = nest_at(v->at, s->kind, s->box);
    if (!turns) v->part = s->box, v->opened = v->npath;
}

void verify_box(Verify *v, const NestStep *s)
{
    Verify before = *v;
    enter(v, s);
    if (!v->why) verify_steps(v, s->first);
    before.why = v->why;
    *v = before;
}

static bool follows(const NestStep *before, NestKind kind, int box)
{
    return before && before->kind == kind && before->box == box;
}

void verify_box_order(Verify *v, const NestStep *before, const NestStep *s)
{
    bool whole = true;
    if (before && (!s || s->box != before->box || s->kind != before->kind + 1))
        whole = before->kind != NEST_IN && before->kind != NEST_WHEN;
    if (s && (s->kind == NEST_AROUND || s->kind == NEST_UNLESS))
        whole = whole && follows(before, s->kind - 1, s->box);
    if (!whole) verify_fail(v, "a box has all of its parts, in their order");
}

void verify_part_loop(Verify *v, const NestStep *s, bool copies)
{
    const NestBox *b = v->part < 0 ? NULL : &v->n->boxes[v->part];
    if (!b || s->axis != b->axis || verify_is_copy(s)) return;
    bool first = true, least = b->least && verify_at_least(v->u, NULL, b->least, s->step),
         inside = nest_is_at(v->at, NEST_IN, v->part);
    for (int i = v->opened; i < v->npath; i++) first = first && v->path[i]->axis != s->axis;
    if (!inside && (!first || s->tail != NEST_CUT || !num_is(s->step, 1)))
        verify_fail(v, "around the box %s there is one loop, one by one", b->name);
    if (s->tail == NEST_BACK ? !first || !least
                             : s->tail != NEST_WHOLE && (copies || s->tail != NEST_CUT))
        verify_fail(v, "the last step of %s may leave its part of the box %s",
                    verify_axis_name(v, s->axis), b->name);
}
