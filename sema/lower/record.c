/* Records in graphs: a final class of scalars is an FdType with its fields. The slots of a graph
 * are scalars, so a captured record is made of one slot a leaf; a choice between records chooses
 * each leaf.
 */
#include "build.h"

/* ---- types ---------------------------------------------------------------------------------- */

static const FdType *record_type(Fd *fd, Class *c)
{
    if (c->fdag) return c->fdag;
    if (c->nfields < 1 || c->nfields > FD_MAX_FIELDS) return NULL;
    const FdType *types[FD_MAX_FIELDS];
    const char *names[FD_MAX_FIELDS];
    for (int i = 0; i < c->nfields; i++) {
        if (!(types[i] = lower_type_in(fd, c->fields[i]->type))) return NULL;
        names[i] = c->fields[i]->name;
    }
    const FdType *t = fd_type_record(fd, c->mangled, c->nfields, types, names);
    c->fdag = (void *)(uintptr_t)t;
    return t;
}

const FdType *lower_type_in(Fd *fd, const Type *t)
{
    if (!t) return NULL;
    if (t->kind == TY_SCALAR) return fd_type_scalar(fd, t->scalar);
    if (t->kind == TY_RECORD) return record_type(fd, t->decl->cls);
    if (!type_is_functional(t) || t->nparams < 1 || t->nparams > FD_MAX_PARAMS) return NULL;
    const FdType *params[FD_MAX_PARAMS], *result = lower_type_in(fd, t->result);
    for (int i = 0; i < t->nparams; i++)
        if (!(params[i] = lower_type_in(fd, t->params[i]))) return NULL;
    return result ? fd_type_func(fd, result, t->nparams, params) : NULL;
}

const FdType *lower_type(Lower *l, const Type *t)
{
    return lower_type_in(l->fd, t);
}

int lower_leaves(const Type *t)
{
    if (t->kind != TY_RECORD) return 1;
    int n = 0;
    for (int i = 0; i < t->decl->cls->nfields; i++)
        n += lower_leaves(t->decl->cls->fields[i]->type);
    return n;
}

/* ---- values --------------------------------------------------------------------------------- */

const FdNode *lower_zero(Lower *l, const FdType *t)
{
    if (!t->record) return fd_const(l->fd, t->scalar, (ScalarValue){0});
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < t->nfields; i++) fields[i] = lower_zero(l, t->fields[i]);
    return fd_make(l->fd, t, fields, (FdLoc){0});
}

const FdNode *lower_with_field(Lower *l, const FdNode *record, int field, const FdNode *value,
                               Loc loc)
{
    const FdType *t = record->type;
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < t->nfields; i++)
        fields[i] = i == field ? value : fd_field(l->fd, record, i, lower_loc(l, loc));
    return fd_make(l->fd, t, fields, lower_loc(l, loc));
}

const FdNode *lower_select(Lower *l, const FdNode *const *values, Loc loc)
{
    const FdType *t = values[1]->type;
    if (!t->record) return lower_op(l, FD_OP_SELECT, 3, values, loc);
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < t->nfields; i++) {
        const FdNode *choice[] = {values[0], fd_field(l->fd, values[1], i, lower_loc(l, loc)),
                                  fd_field(l->fd, values[2], i, lower_loc(l, loc))};
        fields[i] = lower_select(l, choice, loc);
    }
    return fd_make(l->fd, t, fields, lower_loc(l, loc));
}

/* Slots from *slot on. */
static const FdNode *from_slots(Lower *l, const FdType *t, int *slot)
{
    if (!t->record) {
        const FdSlot *s = &l->slots.data[*slot];
        return fd_slot(l->fd, (*slot)++, t, s->name);
    }
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < t->nfields; i++) fields[i] = from_slots(l, t->fields[i], slot);
    return fd_make(l->fd, t, fields, (FdLoc){0});
}

const FdNode *lower_slots(Lower *l, const FdType *t, int first)
{
    return from_slots(l, t, &first);
}

void lower_add_slots(Lower *l, const FdType *t, const char *name, bool is_array)
{
    if (!t->record) {
        FdSlot slot = {.type = t, .is_array = is_array, .name = name};
        vec_push(&l->slots, slot);
        return;
    }
    for (int i = 0; i < t->nfields; i++)
        lower_add_slots(l, t->fields[i], arena_printf(l->arena, "%s.%s", name, t->field_names[i]),
                        false);
}
