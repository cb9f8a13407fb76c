/* What evaluating a node may do besides giving a value: fail, or read arrays. */
#include "analysis.h"

bool divides_safely(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (n->kind != FD_APPLY || (op != FD_OP_DIV && op != FD_OP_REM) ||
        scalar_is_real(result_kind(n)))
        return true;
    const FdNode *by = n->args[1];
    return fd_is_const(by) && by->value.i != 0 && by->value.i != -1;
}

bool divides_surely(const FdNode *n)
{
    if (divides_safely(n)) return true;
    const FdNode *by = n->args[1];
    if (by->kind != FD_APPLY || fd_op_of(by) != FD_OP_MAX) return false;
    for (int i = 0; i < 2; i++)
        if (fd_is_const(by->args[i]) && by->args[i]->value.i > 0) return true;
    return false;
}

/* ---- can it fail? ---------------------------------------------------------------------------- */

static bool can_fail(const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (n->kind != FD_APPLY) return false;
    if (fd_is_element(n) && !local_is_inside(n)) return true;
    FdOp op = fd_op_of(n);
    if ((op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(result_kind(n)) &&
        !(fd_is_const(n->args[1]) && n->args[1]->value.i != 0))
        return true;
    if (fd_user_of(n) && user_can_fail(fd_user_of(n))) return true;
    for (int i = 0; i < n->nargs; i++)
        if (can_fail(n->args[i], seen)) return true;
    return false;
}

bool node_can_fail(const FdNode *n)
{
    FdSeen seen = {0};
    bool fails = can_fail(n, &seen);
    fd_seen_free(&seen);
    return fails;
}

static bool stmt_can_fail(const FdStmt *s)
{
    for (; s; s = s->next)
        if ((s->expr && node_can_fail(s->expr)) ||
            (s->kind == FD_STMT_PUT && node_can_fail(s->var)) || stmt_can_fail(s->body) ||
            stmt_can_fail(s->other))
            return true;
    return false;
}

/* ---- does it read arrays? -------------------------------------------------------------------- */

typedef struct Reads {
    bool found;
    FdSeen seen;
} Reads;

static void body_reads(Reads *r, const FdStmt *s);

static void node_reads(Reads *r, const FdNode *n)
{
    const FdNode *children[FD_MAX_CHILDREN];
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (r->found || op == FD_OP_LOWER || op == FD_OP_UPPER || !fd_meet(&r->seen, n)) return;
    if (n->user) body_reads(r, n->user->body);
    if (is_read(n)) r->found = true;
    for (int i = fd_children(n, children); i-- > 0;) node_reads(r, children[i]);
}

static void body_reads(Reads *r, const FdStmt *s)
{
    for (; s; s = s->next) {
        if (s->expr) node_reads(r, s->expr);
        if (s->kind == FD_STMT_PUT) node_reads(r, s->var);
        body_reads(r, s->body);
        body_reads(r, s->other);
    }
}

bool user_reads(const FdUser *user)
{
    Reads r = {0};
    body_reads(&r, user->body);
    fd_seen_free(&r.seen);
    return r.found;
}

bool user_can_fail(const FdUser *user)
{
    return stmt_can_fail(user->body) || user_reads(user);
}
