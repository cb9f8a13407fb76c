/* Legality of results: begun once, taken over all that they reduce, joined and given where all of it
 * is there. */
#include "../recipes/recipe.h"
#include "verify.h"

/* ---- results ----------------------------------------------------------------------------------- */

static bool in_order_only(const FdNode *r)
{
    return !fd_reorders(r);
}

/* Is the axis' loop one that shares a reduction out: in copies, lanes or work-items? */
static bool joins(const Verify *v)
{
    const Nest *n = v->n;
    if (nest_is_reduced(v->n, n->lanes_axis, 0, n->nreduces)) return true;
    for (int i = 0; i < n->nregs; i++)
        if (nest_is_reduced(v->n, n->regs[i].axis, 0, n->nreduces)) return true;
    return false;
}

static bool shares_items(const Verify *v, const NestStep *s)
{
    for (; s; s = s->next) {
        bool item = s->kind == NEST_FOR && s->bind == NEST_ITEM;
        bool parts = item && v->n->axes[s->axis].nvars == 0;
        if (item && (parts || nest_is_reduced(v->n, s->axis, 0, v->n->nreduces))) return true;
        if (shares_items(v, s->first)) return true;
    }
    return false;
}

static void needs_part(Verify *v, bool own)
{
    const NestPart *p = &v->n->part;
    if (!p->naxes) verify_fail(v, "there is no part to read or write");
    for (int r = 0; p->naxes && r < v->n->nreduces; r++)
        if (p->temps[r] < 0 && !own) verify_fail(v, "results of their own are no parts");
    for (int i = 0; i < p->naxes; i++) {
        if (i && !p->lengths[i]) verify_fail(v, "a part lacks the length of an axis");
        if (!verify_is_open(v, p->axes[i]))
            verify_fail(v, "the part lies along %s, over which there is no loop",
                        verify_axis_name(v, p->axes[i]));
    }
}

void verify_start(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    bool resume = s->kind == NEST_RESUME,
         reduced = nest_is_reduced(v->n, n->lanes_axis, 0, n->nreduces),
         lanes = n->lanes_axis >= 0 && verify_lanes(v) == n->lanes_axis;
    if (v->begun >= 0) verify_fail(v, "results are begun twice");
    if (!n->nreduces) verify_fail(v, "there are no results to begin");
    v->begun = v->npath;
    v->resumed = resume;
    v->vectors = n->nregs || lanes || reduced;
    v->tail = !v->vectors || reduced;
    v->joined = v->given = false;
    v->taken = v->whole = 0;
    if (resume) needs_part(v, false);
    if (resume && n->nregs) verify_fail(v, "registers do not go on from a part");
    for (int i = 0; i < v->npath; i++) {
        int axis = v->path[i]->axis;
        if (!nest_is_reduced(v->n, axis, 0, n->nreduces) || axis == n->block_axis) continue;
        if (v->path[i]->bind != NEST_GROUP && !resume)
            verify_fail(v, "results begin anew inside the loop over %s, which they reduce",
                        verify_axis_name(v, axis));
    }
}

/* What stands between START and here. */
static void after_start(Verify *v, const char *what, bool same_block)
{
    if (v->begun < 0)
        verify_fail(v, "%s: results are not begun here", what);
    else if (v->given)
        verify_fail(v, "%s: the results are given already", what);
    else if (same_block && v->begun != v->npath)
        verify_fail(v, "%s: results end where they are begun", what);
}

/* Loops from START to here are over what is reduced, or copies of the results. */
static void between(Verify *v, int begin, int end, bool parts)
{
    const Nest *n = v->n;
    for (int i = v->begun; !v->why && i < v->npath; i++) {
        int axis = v->path[i]->axis;
        bool reduced = parts ? n->axes[axis].nvars == 0 : nest_is_reduced(v->n, axis, begin, end);
        bool copies = verify_registers(v, axis) || axis == n->lanes_axis;
        if (!reduced && !(copies && v->path[i]->bind != NEST_LOOP))
            verify_fail(v, "results are taken in a loop over %s, which they do not reduce",
                        verify_axis_name(v, axis));
    }
    for (int i = 0; i < n->nregs; i++) {
        int axis = n->regs[i].axis;
        if (!nest_is_reduced(v->n, axis, 0, n->nreduces) && !verify_has(v, axis, NEST_UNROLL))
            verify_fail(v, "registers along %s are not all reached: it is not unrolled",
                        verify_axis_name(v, axis));
    }
    int lanes = verify_lanes(v);
    if (lanes >= 0 && (lanes != n->lanes_axis || !v->vectors))
        verify_fail(v, "the results are no vectors along %s", verify_axis_name(v, lanes));
    if (lanes < 0 && n->lanes_axis >= 0 && v->vectors && !v->tail)
        verify_fail(v, "the results are vectors along %s: they are taken in its lanes",
                    verify_axis_name(v, n->lanes_axis));
}

/* Values of these results are taken, none twice: what follows loops that leave nothing is too much. */
static void count(Verify *v, int begin, int end)
{
    unsigned these = (1u << end) - (1u << begin);
    if (v->whole & these) verify_fail(v, "a result is taken twice");
    v->taken |= these;
    v->whole |= these;
}

static void whole(Verify *v, const char *what)
{
    if (v->whole != (1u << v->n->nreduces) - 1)
        verify_fail(v, "%s: not all results have been taken", what);
}

/* A part for each group. */
static void group_of_part(Verify *v, const char *what, const NestStep *s)
{
    const Nest *n = v->n;
    int place = 0;
    while (place < n->part.naxes && n->part.axes[place] != s->axis) place++;
    const char *name = verify_axis_name(v, s->axis);
    if (place == n->part.naxes)
        verify_fail(v, "%s: the part does not lie along %s", what, name);
    else if (n->part.lengths[place] && nest_is_reduced(v->n, s->axis, 0, n->nreduces) &&
             !verify_at_least(v->u, NULL, n->part.lengths[place],
                              num_ceildiv(v->u, n->axes[s->axis].n, s->step)))
        verify_fail(v, "%s: the part is not as long as there are groups over %s", what, name);
}

/* All of what it reduces is covered here; is it in copies, lanes or work-items? */
static bool shares_out(Verify *v, const FdNode *reduce)
{
    const Nest *n = v->n;
    bool turns = false;
    for (int i = 0; !v->why && i < reduce->nvars; i++) {
        int axis = -1;
        for (int a = 0; a < n->naxes; a++)
            for (int k = 0; k < n->axes[a].nvars; k++)
                if (n->axes[a].vars[k] == reduce->vars[i]) axis = a;
        if (axis < 0 || !verify_is_open(v, axis)) {
            verify_fail(v, "take: there is no loop over %s", nest_word(reduce->vars[i]->name));
            return false;
        }
        verify_cover(v, axis, false);
        turns = turns || verify_lanes(v) == axis || verify_has(v, axis, NEST_UNROLL) ||
                verify_has(v, axis, NEST_ITEM);
    }
    return turns;
}

void verify_take(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    after_start(v, "take", false);
    if (s->begin < 0 || s->begin >= s->end || s->end > n->nreduces)
        verify_fail(v, "take: there are no such results");
    if (v->why) return;
    count(v, s->begin, s->end);
    between(v, s->begin, s->end, false);
    for (int i = 0; !v->why && !s->begin && i < n->def->nbeside; i++) {
        const Def *b = n->def->beside[i];
        int lanes = verify_lanes(v);
        verify_bound(v, b->body, false);
        if (lanes >= 0) verify_in_lanes(v, b->body, lanes, false);
        if (lanes >= 0 && n->axes[lanes].vars[0] != b->vars[b->nvars - 1])
            verify_fail(v, "arrays beside the result are stored along their last dimension");
    }
    for (int r = s->begin; !v->why && r < s->end; r++) {
        const FdNode *reduce = n->reduces[r];
        const DefWithin *w = def_within(n->def, reduce);
        verify_bound(v, w ? w->value : reduce->body, false);
        int lanes = verify_lanes(v); /* conditions read nothing: they are arithmetic in any lanes */
        if (lanes >= 0) verify_in_lanes(v, reduce->body, lanes, false);
        if (shares_out(v, reduce) && in_order_only(reduce))
            verify_fail(v, "the result is one of its operands in order");
    }
}

void verify_scattered(Verify *v)
{
    const Nest *n = v->n;
    if (n->def->nbeside) verify_fail(v, "scatter: arrays beside the result are stored in order");
    count(v, 0, n->nreduces);
    for (int r = 0; !v->why && r < n->nreduces; r++) {
        const FdNode *reduce = n->reduces[r];
        bool commutes =
            fd_op_of(reduce) != FD_OP_NONE ? !in_order_only(reduce) : reduce->fn->user->commutative;
        for (int i = 0; i < reduce->nvars; i++) verify_bound(v, reduce->vars[i], false);
        if (shares_out(v, reduce) && n->keys.tables >= 0 && !commutes)
            verify_fail(v, "the result is one of its operands in order");
    }
    for (int i = 0; !v->why && i < v->npath; i++)
        if (v->path[i]->bind == NEST_GROUP) group_of_part(v, "scatter", v->path[i]);
}

void verify_parts(Verify *v, const NestStep *s)
{
    (void)s;
    after_start(v, "parts", false);
    needs_part(v, false);
    if (v->why) return;
    count(v, 0, v->n->nreduces);
    between(v, 0, 0, true);
    for (int a = 0; a < v->n->naxes; a++)
        if (v->n->axes[a].nvars == 0 && verify_is_open(v, a)) verify_cover(v, a, false);
}

/* What is left out must neither change a result nor fail. */
void verify_leave(Verify *v, const NestStep *s)
{
    (void)s;
    const Nest *n = v->n;
    after_start(v, "leave", false);
    const NestStep *loop = v->npath ? v->path[v->npath - 1] : NULL;
    if (n->def->nbeside) verify_fail(v, "leave: arrays beside the result are stored whole");
    if (!loop || v->npath <= v->begun || loop->bind != NEST_LOOP || loop->count || !v->vectors ||
        !v->tail || n->checks != GEN_PROVED)
        verify_fail(v, "leave: it ends a loop of results that are joined");
    for (int r = 0; r < n->nreduces; r++)
        if (!recipe_decides(n->reduces[r]))
            verify_fail(v, "leave: no value of the results is the last word");
}

static bool only_takes(const NestStep *s)
{
    for (; s; s = s->next) {
        bool copies = s->kind == NEST_FOR && verify_is_copy(s) && s->first && only_takes(s->first);
        if (!copies && s->kind != NEST_TAKE) return false;
    }
    return true;
}

/* What is left out must neither change a result nor fail; there is one place that asks. */
void verify_changes(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    after_start(v, "changes", false);
    if (n->def->nbeside) verify_fail(v, "changes: arrays beside the result are stored whole");
    if (!s->first || !only_takes(s->first) || n->checks != GEN_PROVED || !v->vectors)
        verify_fail(v, "changes: copies and lanes of values are taken, and nothing else");
    for (int r = 0; r < n->nreduces; r++)
        if (!reduction_keeps(n->reduces[r]))
            verify_fail(v, "changes: the results are not one of two records");
    if (!v->why) verify_steps(v, s->first);
}

/* What is left out nobody uses: the condition is one of variables that are bound here, or of the registers'. */
void verify_some(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    const Def *d = n->def;
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    FdBranch branch;
    after_start(v, "some", true);
    fd_reductions_in(d->nvars, d->vars, d->body, reduces, &branch);
    if (!branch.cond) verify_fail(v, "some: no branch has all of the reductions");
    if (d->nbeside) verify_fail(v, "some: arrays beside the result are stored whole");
    for (int i = 0; i < n->nregs; i++)
        if (n->axes[n->regs[i].axis].nvars != 1 || n->regs[i].run)
            verify_fail(v, "some: a tile has corners where its axes are of one variable each");
    for (int a = 0; !v->why && a < n->naxes; a++)
        for (int i = 0; i < n->axes[a].nvars; i++)
            if (fd_uses_var(branch.cond, n->axes[a].vars[i]) && !verify_is_open(v, a))
                verify_fail(v, "some: there is no loop over %s around", verify_axis_name(v, a));
    if (!v->why) verify_inside(v, s->first);
}

/* The conditions' corners are those of the registers; what is taken inside has them. */
void verify_within(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    const char *name = verify_axis_name(v, s->axis);
    bool any = false;
    after_start(v, "within", true);
    if (n->axes[s->axis].nvars != 1 || !n->axes[s->axis].n)
        verify_fail(v, "within: %s is no axis of one variable", name);
    for (int r = 0; !v->why && r < n->nreduces; r++) {
        const DefWithin *w =
            nest_is_reduced(n, s->axis, r, r + 1) ? def_within(n->def, n->reduces[r]) : NULL;
        any = any || w;
        for (int i = 0; w && i < w->n; i++) {
            if (!fd_uses_var(w->conds[i], n->axes[s->axis].vars[0]))
                verify_fail(v, "within: a condition says nothing of %s", name);
            for (int k = 0; k < n->nregs; k++) {
                const NestAxis *x = &n->axes[n->regs[k].axis];
                for (int q = 0; q < x->nvars; q++)
                    if (fd_uses_var(w->conds[i], x->vars[q]) && (x->nvars > 1 || n->regs[k].run))
                        verify_fail(
                            v,
                            "within: a tile has corners where its axes are of one variable each");
            }
        }
    }
    if (!any) verify_fail(v, "within: reductions over %s have no conditions", name);
    if (!v->why) verify_inside(v, s->first);
}

void verify_join(Verify *v, const NestStep *s)
{
    (void)s;
    const Nest *n = v->n;
    after_start(v, "join", true);
    bool copies = joins(v), items = v->item_dims != 0;
    if (items && (v->item_dims != 1 || !shares_items(v, n->root.first)))
        verify_fail(v, "join: work-items of dimension 0 share the reduction");
    if (v->vectors && !copies) verify_fail(v, "join: results along other axes are not joined");
    if (!copies && !items) verify_fail(v, "join: there is nothing to join");
    if (n->nregs > 1 || (n->nregs == 1 && n->regs[0].axis != n->lanes_axis))
        verify_fail(v, "join: copies are of vectors along the reduction");
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->tail == NEST_GUARD)
            verify_fail(v, "join: all work-items of a group must come here");
    v->joined = true;
    v->vectors = false;
}

/* Copies, lanes and work-items along the reduction must have been joined. */
static void joined(Verify *v, const char *what)
{
    bool needed = (joins(v) && v->vectors) || shares_items(v, v->n->root.first);
    if (needed && !v->joined)
        verify_fail(v, "%s: what copies, lanes and work-items came to is not joined", what);
}

/* All registers are saved, also those that lie beyond an axis' end: a part has whole groups. */
static void registers_of_part(Verify *v)
{
    const Nest *n = v->n;
    if (n->lanes_axis >= 0) verify_fail(v, "save: vectors in registers are not saved");
    for (int i = 0; !v->why && i < n->nregs; i++) {
        int axis = n->regs[i].axis, place = 0;
        Num *step = NULL;
        while (place < n->part.naxes && n->part.axes[place] != axis) place++;
        for (int k = 0; k < v->npath; k++)
            if (v->path[k]->axis == axis && v->path[k]->bind == NEST_GROUP) step = v->path[k]->step;
        if (nest_is_reduced(n, axis, 0, n->nreduces) || place == n->part.naxes || !step ||
            !n->part.lengths[place] || !verify_multiple(v->u, n->part.lengths[place], step))
            verify_fail(v, "save: the part has no room for all registers along %s",
                        verify_axis_name(v, axis));
        if (!v->why) verify_cover(v, axis, true);
    }
}

void verify_save(Verify *v, const NestStep *s)
{
    (void)s;
    const Def *d = v->n->def;
    after_start(v, "save", true);
    needs_part(v, false);
    if (v->why) return;
    if (v->taken || v->resumed) whole(v, "save"); /* else it is their beginning that is saved */
    joined(v, "save");
    if (v->vectors && v->n->nregs) registers_of_part(v);
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->bind == NEST_GROUP) group_of_part(v, "save", v->path[i]);
    bool registers = v->vectors && v->n->nregs;
    for (int i = 0; !v->why && i < d->nvars; i++) verify_bound(v, d->vars[i], registers);
    v->given = true;
}

static void block(Verify *v)
{
    const Nest *n = v->n;
    Num *span = NULL;
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == n->block_axis && v->path[i]->bind == NEST_LOOP)
            span = v->path[i]->step;
    bool own = n->nreduces == 1 && n->def->body->type == n->reduces[0]->type;
    needs_part(v, own);
    if (!span || !verify_same(v->u, span, n->block))
        verify_fail(v, "give: the loop over %s does not make blocks of %s",
                    verify_axis_name(v, n->block_axis), num_text(v->u, n->block));
    for (int r = 0; r < n->nreduces; r++)
        if (!nest_is_reduced(v->n, n->block_axis, r, r + 1))
            verify_fail(v, "give: blocks are of what all results reduce");
}

void verify_give(Verify *v, const NestStep *s)
{
    (void)s;
    const Nest *n = v->n;
    const Def *d = n->def;
    if (n->nreduces) after_start(v, "give", true);
    if (v->given) verify_fail(v, "give: it is given already");
    if (n->nreduces && n->block_axis >= 0) block(v);
    if (v->why) return;
    if (n->nreduces) whole(v, "give");
    if (n->nreduces) joined(v, "give");
    if (v->resumed) verify_fail(v, "give: results that go on from a part are saved");
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->bind == NEST_GROUP &&
            nest_is_reduced(v->n, v->path[i]->axis, 0, n->nreduces))
            verify_fail(v, "give: groups over %s have parts only",
                        verify_axis_name(v, v->path[i]->axis));
    bool registers = n->nreduces && v->vectors && n->nregs;
    for (int i = 0; !v->why && i < d->nvars; i++) verify_bound(v, d->vars[i], registers);
    for (int a = 0; !v->why && a < n->naxes; a++)
        for (int k = 0; !v->why && k < n->axes[a].nvars; k++)
            for (int i = 0; i < d->nvars; i++)
                if (n->axes[a].vars[k] == d->vars[i]) verify_cover(v, a, registers);
    int lanes = verify_lanes(v), vector = registers && !n->scalar_give ? n->lanes_axis : lanes;
    if (v->why) return;
    if (n->nreduces && lanes >= 0 && (lanes != n->lanes_axis || n->nregs))
        verify_fail(v, "give: the results are no vectors along %s", verify_axis_name(v, lanes));
    else if (lanes >= 0 && verify_is_clamped(v, lanes))
        verify_fail(v, "give: lanes of %s may lie beyond its end", verify_axis_name(v, lanes));
    else if (vector >= 0)
        verify_in_lanes(v, nest_body(v->u, n, v->at)->node, vector, true);
    if (vector >= 0 && n->checks == GEN_CHECKED &&
        nest_body_fails(nest_body(v->u, n, v->at), n->axes[vector].vars[0]))
        verify_fail(v, "give: reads may fall outside in lanes of %s", verify_axis_name(v, vector));
    v->given = true;
}

/* Rows are there at all positions of the axis, and what is inside makes all of the result's. */
void verify_batch(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    const NestAxis *x = &n->axes[s->axis];
    const Def *d = n->def;
    Batch b;
    int dim = 0;
    while (dim < d->nvars && (x->nvars != 1 || d->vars[dim] != x->vars[0])) dim++;
    /* a loop that gives, or sums in registers */
    bool once = s->first && !s->first->next && s->first->kind == NEST_FOR && !n->nreduces,
         sums = s->first && s->first->kind == NEST_START && n->nregs == 2 &&
                n->lanes_axis == s->axis && n->regs[1].axis == s->axis &&
                num_is(n->regs[1].count, 1);
    if (!s->count || !batch_find(d, dim, &b))
        verify_fail(v, "batch: not all that is read goes by %s", verify_axis_name(v, s->axis));
    else if (!verify_is_open(v, s->axis) || !(once || sums) ||
             (once && nest_loops_over(s, s->axis)) || verify_is_clamped(v, s->axis) ||
             verify_lanes(v) >= 0 || v->at || n->checks != GEN_PROVED)
        verify_fail(v, "batch: a loop inside makes values in lanes of %s, which are proved",
                    verify_axis_name(v, s->axis));
    for (int i = 0; !v->why && i < d->nvars; i++)
        for (int a = 0; a < n->naxes; a++)
            for (int k = 0; k < n->axes[a].nvars; k++)
                if (n->axes[a].vars[k] == d->vars[i] && a != s->axis &&
                    verify_is_open(v, a) != (i < dim))
                    verify_fail(v, "batch: rows are of variables behind %s",
                                verify_axis_name(v, s->axis));
    if (!v->why) verify_steps(v, s->first);
}
