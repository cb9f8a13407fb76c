/* What the reference executor runs over ranges: reductions and folds, the last index fastest, and
 * recurrences, in the order that the pass `recur` found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"

static void copy(ScalarValue *to, const ScalarValue *from, int n)
{
    memcpy(to, from, sizeof *to * (size_t)n);
}

/* ---- reductions ------------------------------------------------------------------------ */

typedef struct Fold {
    Cell *cell;
    FdOp op;                         /* of an elementary combiner */
    ScalarValue *sum, *value, *next; /* of a fold, sum and value can have different types */
    bool any;                        /* sum has a value */
} Fold;

static RefVar given(const Cell *c, ScalarValue *leaves)
{
    return c->is_record ? (RefVar){.record = leaves} : (RefVar){.value = *leaves};
}

static void combine(Ref *r, Fold *f)
{
    Cell *c = f->cell;
    if (f->op != FD_OP_NONE) {
        ScalarValue v[2] = {*f->sum, *f->value};
        *f->sum = ref_operate(r, f->op, c->body->out, c->out, v, c->node);
        return;
    }
    RefVar args[2] = {given(c, f->sum), given(c->body, f->value)};
    Args a = {2, args, c->node, NULL};
    ref_call(r, c->fn, &a, f->next);
    copy(f->sum, f->next, c->leaves);
}

static void fold(Ref *r, Fold *f, int d)
{
    Cell *c = f->cell;
    if (d == c->nvars) {
        ref_eval_all(r, c->body, f->value);
        if (r->failed) return;
        if (f->any)
            combine(r, f);
        else
            copy(f->sum, f->value, c->leaves);
        f->any = true;
        return;
    }
    int64_t lo, hi;
    if (!c->lo[d] || !ref_range_bound(r, c->lo[d], &lo) || !ref_range_bound(r, c->hi[d], &hi)) {
        ref_fail(r, RT_DOMAIN, c->node, "a reduction over an infinite domain");
        return;
    }
    for (int64_t i = lo; i < hi && !r->failed; i++) {
        ref_set(r, c->vars[d], (ScalarValue){.i = i});
        fold(r, f, d + 1);
        ref_look_for_interrupt(r);
    }
}

void ref_reduce(Ref *r, Cell *c, ScalarValue *out)
{
    Mark mark = ref_mark(r);
    Cell *fn = ref_function_of(c->fn);
    Cell *identity = fn && fn->kind == CELL_USER ? fn->user->identity : NULL;
    Fold f = {.cell = c, .op = fn && fn->kind == CELL_OP ? fn->op : FD_OP_NONE};
    f.sum = ref_room(r, c->leaves);
    f.value = ref_room(r, c->body->leaves);
    f.next = ref_room(r, c->leaves);
    if (c->init) {
        ref_eval_all(r, c->init, f.sum);
        f.any = true;
    } else if (f.op != FD_OP_NONE) {
        f.any = fd_op_identity(f.op, c->out, f.sum);
    }
    Scope scope;
    RefVar hidden[FD_MAX_RANK];
    ref_enter(r, &scope, c->nvars, c->vars, hidden, 0, NULL);
    if (!r->failed) fold(r, &f, 0);
    ref_leave(r);
    if (!f.any && identity && !r->failed)
        ref_eval_all(r, identity, f.sum);
    else if (!f.any && !r->failed)
        ref_fail(r, RT_DOMAIN, c->node,
                 f.op == FD_OP_MIN   ? "min of an empty domain"
                 : f.op == FD_OP_MAX ? "max of an empty domain"
                                     : "a reduction without identity of an empty domain");
    if (!r->failed) copy(out, f.sum, c->leaves);
    ref_release(r, mark);
}

/* ---- recurrences ----------------------------------------------------------------------- */

/* Where the element at the variables' values, or at `args`, is; false outside the box. */
static bool place(const FdBox *box, const int64_t *index, int64_t *out)
{
    *out = 0;
    for (int d = 0; d < box->rank; d++) {
        int64_t lo = box->dim[d].lo, hi = box->dim[d].hi;
        if (index[d] < lo || index[d] >= hi) return false;
        *out = *out * (hi - lo) + (index[d] - lo);
    }
    return true;
}

/* Fills in the order of the recurrence, from its k-th variable on. */
static void fill(Ref *r, Cell *f, int k, int64_t *index)
{
    Table *t = f->table;
    if (k == f->nvars) {
        int64_t at;
        place(&t->box, index, &at);
        ref_eval_all(r, f->body, t->values + at * f->leaves);
        return;
    }
    int order = f->node->order[k], d = abs(order) - 1;
    int64_t lo = t->box.dim[d].lo, n = t->box.dim[d].hi - lo;
    for (int64_t i = 0; i < n && !r->failed; i++) {
        index[d] = order > 0 ? lo + i : lo + n - 1 - i;
        ref_set(r, f->vars[d], (ScalarValue){.i = index[d]});
        fill(r, f, k + 1, index);
    }
}

/* Room for all elements. */
static void make_table(Ref *r, Cell *f)
{
    Table *t = f->table;
    int64_t count, bytes;
    t->box.rank = f->nvars;
    for (int d = 0; d < f->nvars; d++) {
        int64_t *lo = &t->box.dim[d].lo, *hi = &t->box.dim[d].hi;
        if (!f->lo[d] || !ref_range_bound(r, f->lo[d], lo) || !ref_range_bound(r, f->hi[d], hi))
            ref_fail(r, RT_DOMAIN, f->node, "a recurrence over an infinite domain");
        if (r->failed) return;
        if (*hi < *lo) *hi = *lo;
    }
    mem_object_free(t->values);
    t->values = NULL;
    if (!rt_box_count(&t->box, &count) ||
        __builtin_mul_overflow(count, (int64_t)sizeof(ScalarValue) * f->leaves, &bytes) ||
        !(t->values = mem_object((size_t)(bytes > 0 ? bytes : 1)))) {
        rt_throw_memory(r->site, SIZE_MAX);
        r->failed = true;
    }
}

static void evaluate(Ref *r, Cell *f, uint64_t stamp)
{
    Table *t = f->table;
    int64_t index[FD_MAX_RANK];
    if (f->node->order[0] == 0)
        ref_fail(r, RT_DOMAIN, f->node,
                 "a recurrence of which no order makes all uses of itself earlier elements");
    if (!r->failed) make_table(r, f);
    if (r->failed) return;
    t->stamp = stamp;
    t->now = index;
    f->self->epoch = ++r->clock; /* what was read of it is of no use any more */
    Scope scope;
    RefVar hidden[FD_MAX_RANK];
    ref_enter(r, &scope, f->nvars, f->vars, hidden, 0, NULL);
    fill(r, f, 0, index);
    ref_leave(r);
    t->now = NULL;
    if (r->failed) t->stamp = 0;
}

/* Does an element come before the one that is being evaluated? */
static bool earlier(const Cell *f, const int64_t *index)
{
    const int64_t *now = f->table->now;
    for (int k = 0; k < f->nvars; k++) {
        int order = f->node->order[k], d = abs(order) - 1;
        if (index[d] != now[d]) return (index[d] < now[d]) == (order > 0);
    }
    return false;
}

static void hide(Ref *r, Table *t)
{
    Table *below = t->idle ? t->idle : arena_new_of(r->arena, Table);
    *below = *t;
    *t = (Table){.below = below};
}

static void show(Table *t)
{
    Table *below = t->below;
    mem_object_free(t->values);
    *t = *below;
    t->idle = below;
}

void ref_call_recurrence(Ref *r, Cell *f, const RefVar *args, const FdNode *node, ScalarValue *out)
{
    Table *t = f->table;
    uint64_t newest = ref_newest(r, f);
    /* Asked for in another scope while it is being filled (an argument by need can do that): a
     * table of its own for this element. */
    bool again = t->now && t->stamp != newest;
    if (again) hide(r, t);
    if (t->stamp != newest) evaluate(r, f, newest);
    int64_t index[FD_MAX_RANK], at;
    for (int d = 0; d < f->nvars; d++) index[d] = args[d].value.i;
    bool inside = !r->failed && place(&t->box, index, &at);
    if (inside && t->now && !earlier(f, index))
        ref_fail(r, RT_DOMAIN, node, "a recurrence needs an element before it is computed");
    else if (inside)
        copy(out, t->values + at * f->leaves, f->leaves);
    else if (!r->failed)
        ref_fail_index(r, f, &t->box, index, node);
    if (again) {
        show(t);
        f->self->epoch = ++r->clock;
    }
}
