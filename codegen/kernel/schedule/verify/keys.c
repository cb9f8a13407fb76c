/* Legality of SCATTER: that each value finds its own part, and no two work-items the same one. */
#include "../../analysis/keys.h"
#include "verify.h"

static int part_place(const Nest *n, int axis)
{
    int place = 0;
    while (place < n->part.naxes && n->part.axes[place] != axis) place++;
    return place;
}

/* Lanes are of one row of the part, at one key. */
static void in_lanes(Verify *v, int axis)
{
    const Nest *n = v->n;
    const FdNode *var = n->axes[axis].nvars == 1 ? n->axes[axis].vars[0] : NULL;
    bool row = var && axis == n->lanes_axis && part_place(n, axis) == n->part.naxes - 1;
    for (int r = 0; row && r < n->nreduces; r++) {
        KeyForm form;
        row = keys_form(v->u, n->def, n->reduces[r], nest_key_variables(n), &form) &&
              fd_type_is_scalar(n->reduces[r]->type);
        for (int i = 0; row && i < form.n; i++) row = !fd_uses_var(form.guards[i].cond, var);
    }
    if (!row || n->checks != GEN_PROVED)
        verify_fail(v, "scatter: lanes are of a row that has one key, without checks");
    for (int r = 0; !v->why && r < n->nreduces; r++)
        verify_in_lanes(v, n->reduces[r]->body, axis, false);
}

/* Parts lie along the keys, the tables and the groups: each work-item has its own. */
static void places(Verify *v)
{
    const Nest *n = v->n;
    if (part_place(n, n->keys.axis) == n->part.naxes)
        verify_fail(v, "scatter: the part does not lie along the keys");
    else if (verify_is_open(v, n->keys.axis))
        verify_fail(v, "scatter: a loop over the keys is around");
    for (int i = 0; i < v->npath; i++) {
        const NestStep *s = v->path[i];
        if (s->bind == NEST_ITEM) verify_fail(v, "scatter: work-items would meet at one key");
        if (s->bind == NEST_LANES) in_lanes(v, s->axis);
    }
    for (int i = 0; i < n->part.naxes; i++) {
        int axis = n->part.axes[i];
        if (i && !n->part.lengths[i]) verify_fail(v, "a part lacks the length of an axis");
        if (axis != n->keys.axis && axis != n->keys.tables && !verify_is_open(v, axis))
            verify_fail(v, "the part lies along %s, over which there is no loop",
                        verify_axis_name(v, axis));
    }
}

/* Tables in local memory: a group begins and saves them, all of its work-items come there. */
void verify_table(Verify *v, const NestStep *s)
{
    const Nest *n = v->n;
    if (n->keys.axis < 0 || !n->keys.copies || !n->nreduces || !nest_items(n->root.first, 0))
        verify_fail(v, "tables in local memory are of a group's keys");
    for (int i = 0; i < v->npath; i++) {
        NestBind b = v->path[i]->bind;
        if (b == NEST_ITEM || (s->kind != NEST_JOIN && b != NEST_GROUP))
            verify_fail(v, "tables in local memory: all work-items of a group must come here");
    }
    if (v->why) return;
    if (s->kind == NEST_START) {
        if (v->begun >= 0) verify_fail(v, "results are begun twice");
        v->begun = v->npath;
    } else if (v->begun < 0 || v->given) {
        verify_fail(v, "tables in local memory: they are not begun");
    } else if (s->kind == NEST_JOIN) {
        if (!n->keys.ordered) verify_fail(v, "join: nothing is noted");
        v->joined = true;
    } else if (v->begun != v->npath || part_place(n, n->keys.axis) == n->part.naxes) {
        verify_fail(v, "save: tables end where they are begun, in a part along the keys");
    } else {
        v->given = true;
    }
}

/* What is noted is joined before more is: JOIN follows the loop over work-items. */
static void in_table(Verify *v)
{
    const Nest *n = v->n;
    const NestStep *item = v->npath ? v->path[v->npath - 1] : NULL;
    if (v->begun < 0 || n->keys.tables >= 0 || !item || item->bind != NEST_ITEM || item->dim != 0)
        verify_fail(v, "scatter: work-items of dimension 0 fill the tables of a group");
    else if (n->keys.ordered && (!item->next || item->next->kind != NEST_JOIN))
        verify_fail(v, "scatter: what is noted is not joined");
    for (int r = 0; r < n->nreduces; r++) {
        const FdUser *user = fd_user_of(n->reduces[r]);
        if (!n->keys.ordered && !nest_is_atomic(n->reduces[r]))
            verify_fail(v, "scatter: no atomic operation combines these values");
        if (!num_is(n->keys.copies, 1) && user && !user->commutative)
            verify_fail(v, "the result is one of its operands in order");
    }
}

/* A table for each copy. */
static void tables(Verify *v)
{
    const Nest *n = v->n;
    int place = n->keys.tables < 0 ? -1 : part_place(n, n->keys.tables);
    if (place == n->part.naxes) verify_fail(v, "scatter: the part does not lie along the tables");
    for (int i = 0; !v->why && i < v->npath; i++)
        if (place >= 0 && v->path[i]->bind == NEST_UNROLL &&
            !verify_at_least(v->u, NULL, n->axes[n->keys.tables].n, v->path[i]->count))
            verify_fail(v, "scatter: there are fewer tables than copies");
}

void verify_scatter(Verify *v, const NestStep *s)
{
    (void)s;
    const Nest *n = v->n;
    const Def *d = n->def;
    KeyForm form;
    if (n->keys.axis < 0 || !n->nreduces || !n->part.naxes ||
        (v->begun >= 0) != (n->keys.entries != NULL)) {
        verify_fail(v, "scatter: there are no keys, or nothing to take");
        return;
    }
    unsigned keys = nest_key_variables(n);
    for (int r = 0; r < n->nreduces; r++)
        if (!keys || !keys_form(v->u, d, n->reduces[r], keys, &form))
            verify_fail(v, "scatter: the reductions have no such keys");
    if (v->why) return;
    if (n->keys.entries) {
        in_table(v);
    } else {
        places(v);
        tables(v);
    }
    for (int i = 0; !v->why && i < d->nvars; i++)
        if (!(keys >> i & 1)) verify_bound(v, d->vars[i], false);
    if (!v->why) verify_scattered(v);
}
