/* Questions about nodes that schedules ask: how a read moves with a variable, what
 * can be computed in lanes.
 */
#include "../../../fdag/affine.h"
#include "../unit.h"

bool is_read(const FdNode *n)
{
    return n->kind == FD_APPLY && ((n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_SLOT) ||
                                   (n->fn->kind == FD_VAR && n->fn->role == FD_VAR_BOUND));
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

Movement read_movement(const FdNode *read, const FdNode *v)
{
    Movement m = MOVES_NOT;
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t c;
        if (!fd_uses_var(read->args[d], v)) continue;
        if (!fd_affine(read->args[d], &index) || !fd_affine_factor(&index, v, &c)) return MOVES_FAR;
        if (c == 0) continue;
        m = c == 1 && d == read->nargs - 1 ? MOVES_UNIT : MOVES_FAR;
        if (m == MOVES_FAR) return m;
    }
    return m;
}

static bool moves_along(const FdNode *n, const FdNode *v, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (is_read(n)) return read_movement(n, v) == MOVES_UNIT;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (moves_along(n->args[i], v, seen)) return true;
    return false;
}

bool reads_along(const FdNode *n, const FdNode *v)
{
    FdSeen seen = {0};
    bool along = moves_along(n, v, &seen);
    fd_seen_free(&seen);
    return along;
}

static bool divides_safely(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if ((op != FD_OP_DIV && op != FD_OP_REM) || scalar_is_real(result_kind(n))) return true;
    const FdNode *by = n->args[1];
    return fd_is_const(by) && by->value.i != 0 && by->value.i != -1;
}

static bool lanes(const FdNode *n, const FdNode *v, FdSeen *seen);

static bool read_lanes(const FdNode *read, const FdNode *v, FdSeen *seen)
{
    for (int d = 0; d < read->nargs; d++)
        if (!lanes(read->args[d], v, seen)) return false;
    return read_movement(read, v) != MOVES_FAR;
}

/* A node that was met before has been found possible: the walk ends at the first that is not. */
static bool lanes(const FdNode *n, const FdNode *v, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    if (n->type->record && !is_make(n)) return false; /* made of lanes, stored field by field */
    if (field_of_read(n)) return read_lanes(field_of_read(n), v, seen);
    if (n->kind == FD_REDUCE) {
        if (n->init && !lanes(n->init, v, seen)) return false;
        for (int i = 0; i < n->nvars; i++) /* lanes must agree on the range */
            if (n->doms[i].lo && (fd_uses_var(n->doms[i].lo, v) || fd_uses_var(n->doms[i].hi, v)))
                return false;
        return fd_op_of(n) != FD_OP_NONE && lanes(n->body, v, seen);
    }
    if (n->kind != FD_APPLY) return n->kind == FD_SCALAR || n->kind == FD_VAR;
    if (is_read(n)) return read_lanes(n, v, seen);
    FdOp op = fd_op_of(n);
    if ((op == FD_OP_NONE && !is_make(n)) || op == FD_OP_RANDOM || !divides_safely(n)) return false;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return true;
    if (result_kind(n) == SC_HALF) return false;
    for (int i = 0; i < n->nargs; i++)
        if (!lanes(n->args[i], v, seen)) return false;
    return true;
}

bool lanes_possible(const FdNode *n, const FdNode *v)
{
    FdSeen seen = {0};
    bool possible = lanes(n, v, &seen);
    fd_seen_free(&seen);
    return possible;
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
