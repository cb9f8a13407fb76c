/* Values that go into arrays which exist (assign.h). */
#include "assign.h"

/* What the array is after a[lo..hi, ..] = v: v's values go into the array, if v does not read it where they go; else, if most of the
 * array is assigned, all of it is evaluated anew. Both are taken for granted. Few values, and what reduces,
 * are evaluated before; where a dimension has an index, all are. */
Value *assign_slice(Foresee *f, Ast *n)
{
    Ast *target = n->assign.target;
    Value *array = foresee_value(f, target->index.base), *v = foresee_value(f, n->assign.value);
    const FdType *type = lower_type_in(f->fd, target->index.base->type);
    bool fixed = false;
    for (int i = 0; i < target->index.args.len; i++) {
        foresee_value(f, target->index.args.data[i]);
        fixed = fixed || !sema_range_of(target->index.args.data[i]);
    }
    Value *changed = known_any(f, target->index.base->type);
    if (!known_is(v) || !type) return changed;
    uint32_t full = known_full(v);
    const FdChosen own = {.type = lower_type_in(f->fd, n->assign.value->type)};
    if (!own.type) return changed;
    Value *alone = full ? known_chosen(f, &own, v, NULL) : v;
    if (fixed) {
        known_forced(f, alone, n->loc);
        return changed;
    }
    const FdNode *lo = v->kind == VAL_LAZY && !full ? fd_root(v->graph)->doms[0].lo : NULL;
    bool moved =
        !full && (!lo || (lo->kind == FD_SCALAR && lo->leaf == FD_LEAF_CONST && lo->value.i == 0));
    if (known_reduces(v))
        v = known_forced(f, alone, n->loc);
    else if (v->kind == VAL_LAZY && !v->result)
        known_evaluated(f, alone, NULL, n->loc);
    FdChosen part = {.type = type, .moved = moved}, both = {.type = type, .choice = true};
    Value *within = known_chosen(f, &part, v, NULL);
    if (!known_is(array) || !known_is(within)) return changed;
    changed = known_forced(f, known_chosen(f, &both, within, array), n->loc);
    if (known_depth(array)) return changed; /* nothing is put into a view */
    FdChosen into = {.type = type, .moved = moved, .into = true};
    Value *placed = known_chosen(f, &into, v, array);
    if (known_is(placed)) known_evaluated(f, placed, NULL, n->loc);
    return changed;
}

/* ---- all of an array ----------------------------------------------------------------------------- */

enum { MOST_REACHED = 64 };

/* Is the array read below a value? If there is too much below it, it may be. */
static bool reaches(const Value *v, const Value *array, int *most)
{
    if (v == array || --*most < 0) return true;
    if (v->kind != VAL_LAZY || v->result) return v->result == array;
    for (int i = 0; i < v->graph->nslots; i++)
        if (reaches(v->captures[i], array, most)) return true;
    return false;
}

/* Do other captures of v than the one in this slot read its array? */
static bool reaches_elsewhere(const Value *v, int slot)
{
    int most = MOST_REACHED;
    bool found = false;
    for (int i = 0; i < v->graph->nslots; i++)
        found = found || (i != slot && reaches(v->captures[i], v->captures[slot], &most));
    return found;
}

/* The variable's array may be nobody else's: the values may go into it. */
void assign_over(Foresee *f, const Ast *graph, Value *v)
{
    int slot = (int)graph->graph.over - 1;
    Value *array = v->kind == VAL_LAZY ? v->captures[slot] : NULL;
    if (!array || !known_is(array) || known_depth(array) || reaches_elsewhere(v, slot)) return;
    FdChosen into = {.type = fd_root(v->graph)->type, .into = true};
    Value *placed = known_chosen(f, &into, v, array);
    if (known_is(placed)) known_evaluated(f, placed, NULL, graph->loc);
}
