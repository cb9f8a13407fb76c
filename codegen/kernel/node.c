/* Questions about single nodes that all of code generation asks. */
#include "node.h"

bool is_read(const FdNode *n)
{
    return n->kind == FD_APPLY && ((n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_SLOT) ||
                                   (n->fn->kind == FD_VAR && n->fn->role == FD_VAR_BOUND));
}

bool is_make(const FdNode *n)
{
    return n->kind == FD_APPLY && n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_MAKE;
}

bool is_field(const FdNode *n)
{
    return n->kind == FD_APPLY && n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_FIELD;
}

const FdNode *field_of_read(const FdNode *n)
{
    if (!is_field(n)) return NULL;
    while (is_field(n)) n = n->args[0];
    return is_read(n) ? n : NULL;
}

bool calls_reader(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return fd_user_of(n) && fd_user_effects(fd_user_of(n)) & FD_READS;
}

ScalarKind result_kind(const FdNode *n)
{
    return n->type->scalar;
}

bool node_is_closed(const FdNode *n)
{
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC: return true;
    case FD_VAR: return false;
    case FD_APPLY:
        for (int i = 0; i < n->nargs; i++)
            if (!node_is_closed(n->args[i])) return false;
        return node_is_closed(n->fn);
    default: return false; /* binders: not needed where this is asked */
    }
}

static size_t widest_below(const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return 1;
    bool narrow = n->type->nparams || n->type->record || result_kind(n) == SC_BOOL;
    size_t w = narrow ? 1 : scalar_bytes(result_kind(n)), x = 0;
    if (n->kind == FD_REDUCE) x = widest_below(n->body, seen);
    /* indices of reads stay scalar */
    for (int i = 0; n->kind == FD_APPLY && !is_read(n) && i < n->nargs; i++) {
        size_t y = widest_below(n->args[i], seen);
        if (y > x) x = y;
    }
    return x > w ? x : w;
}

size_t widest_bytes(const FdNode *n)
{
    FdSeen seen = {0};
    size_t bytes = widest_below(n, &seen);
    fd_seen_free(&seen);
    return bytes;
}

bool reduction_is_closed(const FdNode *r)
{
    for (int i = 0; i < r->nvars; i++)
        if (!r->doms[i].lo || !node_is_closed(r->doms[i].lo) || !node_is_closed(r->doms[i].hi))
            return false;
    return true;
}

const FdNode *user_identity(const FdNode *reduce)
{
    return fd_user_of(reduce) ? fd_user_of(reduce)->identity : NULL;
}

bool reduction_identity(const FdNode *reduce, ScalarValue *v)
{
    FdOp op = fd_op_of(reduce);
    return op != FD_OP_NONE && fd_op_neutral(op, result_kind(reduce), v);
}

const FdNode *local_array_of(const FdStmt *s)
{
    const FdNode *v = s->kind == FD_STMT_PUT ? s->var->fn : s->var;
    return v && v->extent ? v : NULL;
}
