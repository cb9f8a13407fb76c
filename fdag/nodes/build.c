/* Builders: what each kind of node takes, and the nodes that they make (node.c). */
#include <math.h>

#include "../internal.h"

static void own(Fd *fd, const FdNode *n, const char *where)
{
    if (!n) internal_error(where, "no node");
    if (fdi_node(n)->fd != fd) internal_error(where, "a node of another Fd");
}

/* ---- builders -------------------------------------------------------------------------- */

const FdNode *fd_const(Fd *fd, ScalarKind k, ScalarValue v)
{
    if (scalar_is_real(k) && isnan(v.f)) v.f = (double)NAN; /* one NaN */
    return fdi_intern(fd, &(FdNode){.kind = FD_SCALAR,
                                    .leaf = FD_LEAF_CONST,
                                    .type = fd_type_scalar(fd, k),
                                    .value = v});
}

const FdNode *fd_int(Fd *fd, int64_t v)
{
    return fd_const(fd, SC_INT, scalar_convert((ScalarValue){.i = v}, SC_LONG, SC_INT));
}

const FdNode *fd_long(Fd *fd, int64_t v)
{
    return fd_const(fd, SC_LONG, (ScalarValue){.i = v});
}

const FdNode *fd_slot(Fd *fd, int slot, const FdType *type, const char *name)
{
    if (slot < 0) internal_error("fd_slot", "negative slot");
    return fdi_intern(fd, &(FdNode){.kind = type->nparams ? FD_FUNC : FD_SCALAR,
                                    .leaf = FD_LEAF_SLOT,
                                    .type = type,
                                    .slot = slot,
                                    .name = name});
}

const FdNode *fdi_flat_slot(Fd *fd, const FdNode *slot, const FdType *type)
{
    return fdi_intern(fd, &(FdNode){.kind = FD_FUNC,
                                    .leaf = FD_LEAF_SLOT,
                                    .type = type,
                                    .slot = slot->slot,
                                    .name = slot->name,
                                    .value.i = 1});
}

const FdNode *fd_op(Fd *fd, FdOp op, const FdType *type)
{
    const char *why = fdi_check_op(op, type);
    if (why) internal_error("fd_op", why);
    return fdi_intern(fd, &(FdNode){.kind = FD_FUNC, .leaf = FD_LEAF_OP, .type = type, .op = op});
}

const FdNode *fd_user(Fd *fd, const FdUser *user)
{
    return fdi_intern(
        fd, &(FdNode){.kind = FD_FUNC, .leaf = FD_LEAF_USER, .type = user->type, .user = user});
}

static const FdNode *new_var(Fd *fd, const FdType *type, const char *name, FdVarRole role)
{
    return fdi_intern(fd, &(FdNode){.kind = FD_VAR,
                                    .role = role,
                                    .type = type,
                                    .name = name ? name : "",
                                    .var = fd->next_var++});
}

const FdNode *fd_var(Fd *fd, const FdType *type, const char *name)
{
    return new_var(fd, type, name, FD_VAR_BOUND);
}

const FdNode *fdi_flat_var(Fd *fd, const char *name)
{
    return fdi_intern(fd, &(FdNode){.kind = FD_VAR,
                                    .role = FD_VAR_BOUND,
                                    .type = fd_type_scalar(fd, SC_LONG),
                                    .name = name,
                                    .var = fd->next_var++,
                                    .value.i = 1});
}

const FdNode *fd_local(Fd *fd, const FdType *type, const char *name)
{
    return new_var(fd, type, name, FD_VAR_LOCAL);
}

const FdNode *fd_local_array(Fd *fd, const FdType *type, const int64_t *extent, const char *name)
{
    int n = type->nparams;
    if (n == 0 || type->result->result)
        internal_error("fd_local_array", "not the type of an array");
    return fdi_intern(
        fd, &(FdNode){.kind = FD_VAR,
                      .role = FD_VAR_LOCAL,
                      .type = type,
                      .name = name ? name : "",
                      .var = fd->next_var++,
                      .extent = arena_copy(fd->arena, extent, sizeof *extent * (size_t)n)});
}

/* Arithmetic on halves is that of floats, rounded once: no other part of the project knows. */
static bool rounds(const FdNode *fn)
{
    const FdType *t = fn->type->result;
    return fdi_is_leaf(fn, FD_LEAF_OP) && (fd_op_info(fn->op)->props & FD_ROUNDS) &&
           fd_type_is_scalar(t) && t->scalar == SC_HALF;
}

static const FdNode *convert(Fd *fd, const FdNode *n, ScalarKind to, FdLoc loc)
{
    return n->type->scalar == to ? n : fd_apply_op(fd, FD_OP_CONVERT, to, 1, &n, loc);
}

static const FdNode *in_floats(Fd *fd, FdOp op, int n, const FdNode *const *args, FdLoc loc)
{
    const FdNode *wide[3];
    for (int i = 0; i < n; i++) wide[i] = convert(fd, args[i], SC_FLOAT, loc);
    return convert(fd, fd_apply_op(fd, op, SC_FLOAT, n, wide, loc), SC_HALF, loc);
}

/* What a sum of halves adds: the float that the operand's operation gave, before it was rounded. */
static const FdNode *unrounded(Fd *fd, const FdNode *n, FdLoc loc)
{
    const FdNode *x = n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT ? n->args[0] : NULL;
    FdOp op = x && x->kind == FD_APPLY && x->type->scalar == SC_FLOAT ? fd_op_of(x) : FD_OP_NONE;
    bool made = op != FD_OP_NONE && (fd_op_info(op)->props & FD_ROUNDS);
    for (int i = 0; made && i < x->nargs; i++) {
        const FdNode *a = x->args[i];
        made = fd_op_of(a) == FD_OP_CONVERT && a->args[0]->type->scalar == SC_HALF;
    }
    return made ? x : convert(fd, n, SC_FLOAT, loc);
}

const FdNode *fd_apply(Fd *fd, const FdNode *fn, int n, const FdNode *const *args, FdLoc loc)
{
    own(fd, fn, "fd_apply");
    for (int i = 0; i < n; i++) own(fd, args[i], "fd_apply");
    const char *why = fdi_check_apply(fn, n, args);
    if (why) internal_error("fd_apply", why);
    if (rounds(fn)) return in_floats(fd, fn->op, n, args, loc);
    if (fdi_is_leaf(fn, FD_LEAF_OP) && fn->op == FD_OP_CLAMP) {
        const FdNode *least[] = {fd_apply_op(fd, FD_OP_MAX, SC_INT, 2, args, loc), args[2]};
        return fd_apply_op(fd, FD_OP_MIN, SC_INT, 2, least, loc);
    }
    return fdi_intern(fd, &(FdNode){.kind = FD_APPLY,
                                    .type = fn->type->result,
                                    .loc = loc,
                                    .fn = fn,
                                    .nargs = n,
                                    .args = args});
}

FdiMade *fdi_made(Fd *fd, FdiMade **table, FdOp op, ScalarKind to, int n, const void *const *of)
{
    uint64_t hash = (uint64_t)op << 8 | (uint64_t)to;
    if (n < 1 || n > 3) return NULL;
    for (int i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)of[i] >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    if (!*table) *table = arena_array(fd->arena, FdiMade, FDI_MADE);
    return &(*table)[(hash >> 32) % FDI_MADE];
}

bool fdi_is_made(const FdiMade *m, FdOp op, ScalarKind to, int n, const void *const *of)
{
    if (!m || m->n != n || m->op != op || m->to != to) return false;
    for (int i = 0; i < n; i++)
        if (m->of[i] != of[i]) return false;
    return true;
}

void fdi_make_known(FdiMade *m, FdOp op, ScalarKind to, int n, const void *const *of,
                    const FdNode *node)
{
    if (!m) return;
    *m = (FdiMade){.op = op, .to = to, .n = n, .node = node};
    for (int i = 0; i < n; i++) m->of[i] = of[i];
}

/* The operation itself, as a function of operands of these types. */
static const FdNode *op_for(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args)
{
    const void *types[3];
    for (int i = 0; i < n && i < 3; i++) types[i] = args[i]->type;
    FdiMade *m = fdi_made(fd, &fd->ops, op, to, n, types);
    if (fdi_is_made(m, op, to, n, types)) return m->node;
    const FdType *type = fdi_op_type(fd, op, to, n, args);
    if (!type) internal_error("fd_apply_op", "wrong number of operands");
    const FdNode *fn = fd_op(fd, op, type);
    fdi_make_known(m, op, to, n, types, fn);
    return fn;
}

const FdNode *fd_apply_op(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args,
                          FdLoc loc)
{
    for (int i = 0; i < n; i++) own(fd, args[i], "fd_apply_op");
    return fd_apply(fd, op_for(fd, op, to, n, args), n, args, loc);
}

/* ---- records --------------------------------------------------------------------------- */

const FdNode *fdi_make(Fd *fd, const FdType *record)
{
    return fdi_intern(
        fd, &(FdNode){.kind = FD_FUNC, .leaf = FD_LEAF_MAKE, .type = fdi_type_make(fd, record)});
}

const FdNode *fdi_field(Fd *fd, const FdType *record, int field)
{
    return fdi_intern(fd, &(FdNode){.kind = FD_FUNC,
                                    .leaf = FD_LEAF_FIELD,
                                    .type = fd_type_func(fd, record->fields[field], 1, &record),
                                    .slot = field});
}

const FdNode *fd_make(Fd *fd, const FdType *record, const FdNode *const *fields, FdLoc loc)
{
    if (!record->record) internal_error("fd_make", "not a record type");
    return fd_apply(fd, fdi_make(fd, record), record->nfields, fields, loc);
}

const FdNode *fd_field(Fd *fd, const FdNode *record, int field, FdLoc loc)
{
    if (field < 0 || field >= record->type->nfields) internal_error("fd_field", "no such field");
    if (fdi_applies(record, FD_LEAF_MAKE)) return record->args[field];
    return fd_apply(fd, fdi_field(fd, record->type, field), 1, &record, loc);
}

bool fdi_is_value(const FdNode *n)
{
    if (!fdi_applies(n, FD_LEAF_MAKE)) return fd_is_const(n);
    for (int i = 0; i < n->nargs; i++)
        if (!fdi_is_value(n->args[i])) return false;
    return true;
}

/* ---- binders --------------------------------------------------------------------------- */

static const FdNode *binder(Fd *fd, FdNode *n, const char *where)
{
    FdDom doms[FD_MAX_RANK];
    const char *why = fdi_check_binder(n);
    if (why) internal_error(where, why);
    own(fd, n->body, where);
    if (n->fn) own(fd, n->fn, where);
    if (n->init) own(fd, n->init, where);
    if (n->self) own(fd, n->self, where);
    for (int i = 0; i < n->nvars; i++) {
        doms[i] = n->doms[i];
        own(fd, n->vars[i], where);
        if (doms[i].kind != FD_DOM_OPEN && doms[i].kind != FD_DOM_FULL) {
            own(fd, doms[i].lo, where);
            own(fd, doms[i].hi, where);
        } else {
            doms[i].lo = doms[i].hi = NULL;
        }
    }
    n->doms = doms;
    return fdi_intern(fd, n);
}

const FdNode *fd_fold(Fd *fd, const FdNode *fn, const FdNode *init, int nvars,
                      const FdNode *const *vars, const FdDom *doms, const FdNode *body, FdLoc loc)
{
    if (!fn->type->result) internal_error("fd_fold", "not a function");
    if (rounds(fn) && body->type == fn->type->result) {
        const FdType *t = fd_type_scalar(fd, SC_FLOAT), *params[] = {t, t};
        const FdNode *wide = fd_op(fd, fn->op, fd_type_func(fd, t, 2, params));
        if (init) init = convert(fd, init, SC_FLOAT, loc);
        body = unrounded(fd, body, loc);
        return convert(fd, fd_fold(fd, wide, init, nvars, vars, doms, body, loc), SC_HALF, loc);
    }
    return binder(fd,
                  &(FdNode){.kind = FD_REDUCE,
                            .type = fn->type->result,
                            .loc = loc,
                            .fn = fn,
                            .init = init,
                            .nvars = nvars,
                            .vars = vars,
                            .doms = doms,
                            .body = body},
                  "fd_reduce");
}

const FdNode *fd_reduce(Fd *fd, const FdNode *fn, int nvars, const FdNode *const *vars,
                        const FdDom *doms, const FdNode *body, FdLoc loc)
{
    return fd_fold(fd, fn, NULL, nvars, vars, doms, body, loc);
}

const FdNode *fd_recurrence(Fd *fd, const FdNode *self, const int8_t *order, int nvars,
                            const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                            FdLoc loc)
{
    const FdType *params[FD_MAX_RANK];
    if (nvars < 1 || nvars > FD_MAX_RANK) internal_error("fd_let", "wrong number of variables");
    for (int i = 0; i < nvars; i++) params[i] = vars[i]->type;
    FdNode n = {.kind = FD_LET,
                .type = fd_type_func(fd, body->type, nvars, params),
                .loc = loc,
                .self = self,
                .nvars = nvars,
                .vars = vars,
                .doms = doms,
                .body = body};
    for (int i = 0; self && order && i < nvars; i++) n.order[i] = order[i];
    return binder(fd, &n, "fd_let");
}

const FdNode *fd_let(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                     const FdNode *body, FdLoc loc)
{
    return fd_recurrence(fd, NULL, NULL, nvars, vars, doms, body, loc);
}

FdOp fd_op_of(const FdNode *n)
{
    if (n->kind == FD_APPLY || n->kind == FD_REDUCE) n = n->fn;
    return n->kind == FD_FUNC && n->leaf == FD_LEAF_OP ? n->op : FD_OP_NONE;
}

const FdUser *fd_user_of(const FdNode *n)
{
    return n->kind == FD_APPLY || n->kind == FD_REDUCE ? n->fn->user : n->user;
}

bool fd_is_lazy(const FdNode *n, int arg)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return op != FD_OP_NONE && (fd_op_info(op)->props & FD_LAZY) && arg > 0;
}

bool fd_is_const(const FdNode *n)
{
    return n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST;
}

bool fd_has_identity(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (n->init) return true;
    if (op != FD_OP_NONE) return fd_op_info(op)->neutral >= FD_NEUTRAL_ZERO;
    return fd_user_of(n) && fd_user_of(n)->identity;
}

bool fd_range_closed(const FdDom *d)
{
    return d->lo && d->hi && fdi_node(d->lo)->evaluable && fdi_node(d->hi)->evaluable;
}

bool fd_closed(const FdNode *n)
{
    return fdi_closed(n);
}
