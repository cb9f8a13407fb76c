/* Reductions that keep one of two operands: which values can change what they have come to?
 *
 *   better(a, b) => a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b
 *   may change where    !(a.value > b.value)
 *
 * What is asked is a part of what decides: of conditions that must all hold those are left out that
 * nearly always do (that two values are not equal). Where none may change, a few comparisons take the
 * place of all that the values and the function cost; of many values in no particular order few do. */
#include "gen.h"

typedef struct Asked {
    Gen *g; /* NULL: only whether there is an answer */
    const FdNode *params[2];
} Asked;

/* A mask of the lanes that may change, or all, or none. */
typedef struct May {
    enum { MAY_NEVER, MAY_ALWAYS, MAY_SOME } kind;
    const KirExpr *mask;
} May;

static const May never = {MAY_NEVER, NULL}, always = {MAY_ALWAYS, NULL};

static May join(const Asked *x, FdOp op, May p, May q)
{
    int none = op == FD_OP_LAND ? MAY_NEVER : MAY_ALWAYS;
    if (p.kind != MAY_SOME) return (int)p.kind == none ? p : q;
    if (q.kind != MAY_SOME) return (int)q.kind == none ? q : p;
    if (!x->g) return p;
    const KirExpr *both[] = {p.mask, q.mask};
    return (May){MAY_SOME, kir_op(x->g->u->arena, op, p.mask->type, 2, both)};
}

/* Is n a logical operation, so that it is `want` only where all of its operands are? */
static bool is_all(const FdNode *n, bool want)
{
    return fd_op_of(n) == (want ? FD_OP_LAND : FD_OP_LOR);
}

/* Is the condition nearly always what is wanted, so that asking says little? */
static bool is_likely(const FdNode *n, bool want)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_LNOT) return is_likely(n->args[0], !want);
    if (op == FD_OP_EQ || op == FD_OP_NE) return want == (op == FD_OP_NE);
    if (op != FD_OP_LAND && op != FD_OP_LOR) return false;
    bool p = is_likely(n->args[0], want), q = is_likely(n->args[1], want);
    return is_all(n, want) ? p && q : p || q;
}

static bool costs(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE || (n->kind == FD_APPLY && (fd_user_of(n) || is_read(n)));
}

/* Where the condition is what is wanted, and perhaps elsewhere. */
static May holds(const Asked *x, const FdNode *n, bool want)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (fd_is_const(n)) return (n->value.i != 0) == want ? always : never;
    if (op == FD_OP_LNOT) return holds(x, n->args[0], !want);
    if (op == FD_OP_LAND || op == FD_OP_LOR) {
        bool all = is_all(n, want);
        May p = all && is_likely(n->args[0], want) ? always : holds(x, n->args[0], want);
        May q = all && is_likely(n->args[1], want) ? always : holds(x, n->args[1], want);
        return join(x, all ? FD_OP_LAND : FD_OP_LOR, p, q);
    }
    if (fd_any(n, costs, NULL) || fd_can_fail(n)) return always;
    if (!x->g) return (May){MAY_SOME, NULL};
    const KirExpr *e = gen_splat(x->g->u, x->g->lanes, gen_stmt_value(x->g, n));
    return (May){MAY_SOME, want ? e : gen_mask_not(x->g, e)};
}

static May either(const Asked *x, const FdNode *cond, May then, May other)
{
    return join(x, FD_OP_LOR, join(x, FD_OP_LAND, holds(x, cond, true), then),
                join(x, FD_OP_LAND, holds(x, cond, false), other));
}

/* ---- values ------------------------------------------------------------------------------------ */

enum { MOST = 16 };

/* What a value is made of: some scalars of it each, in their order. */
typedef struct Parts {
    int n, leaves;
    struct {
        const FdNode *node;
        int from; /* its first scalar */
    } list[MOST];
} Parts;

static bool add_parts(Parts *p, const FdNode *n)
{
    if (is_make(n)) {
        for (int i = 0; i < n->nargs; i++)
            if (!add_parts(p, n->args[i])) return false;
        return true;
    }
    if (p->n == MOST) return false;
    p->list[p->n].node = n;
    p->list[p->n++].from = p->leaves;
    p->leaves += fd_type_leaves(n->type);
    return true;
}

/* Which scalars of the variable it is: the number of the first; -1: of another. */
static int leaf_of(const FdNode *n, const FdNode *var)
{
    if (n == var) return 0;
    if (!is_field(n)) return -1;
    int at = leaf_of(n->args[0], var);
    const FdType *t = n->args[0]->type;
    for (int i = 0; at >= 0 && i < n->fn->slot; i++) at += fd_type_leaves(t->fields[i]);
    return at;
}

static bool is_kept(const Asked *x, const Parts *p, int i)
{
    return leaf_of(p->list[i].node, x->params[0]) == p->list[i].from;
}

/* Where these are not those of the function's first operand. */
static May parts_change(const Asked *x, const Parts *p)
{
    const FdNode *cond = NULL;
    Parts then = {0}, other = {0};
    for (int i = 0; i < p->n; i++) {
        const FdNode *n = p->list[i].node;
        bool kept = is_kept(x, p, i), select = n->kind == FD_APPLY && fd_op_of(n) == FD_OP_SELECT;
        if (!kept && (!select || (cond && n->args[0] != cond))) return always;
        if (!kept) cond = n->args[0];
        if (!add_parts(&then, kept ? n : n->args[1]) || !add_parts(&other, kept ? n : n->args[2]))
            return always;
    }
    return cond ? either(x, cond, parts_change(x, &then), parts_change(x, &other)) : never;
}

static May value_changes(const Asked *x, const FdNode *n)
{
    Parts all = {0};
    return add_parts(&all, n) ? parts_change(x, &all) : always;
}

static May body_changes(const Asked *x, const FdStmt *s)
{
    if (!s) return always;
    if (s->kind == FD_STMT_RETURN) return value_changes(x, s->expr);
    if (s->kind != FD_STMT_IF || !s->body) return always;
    return either(x, s->expr, body_changes(x, s->body),
                  body_changes(x, s->other ? s->other : s->next));
}

static May changes(const Asked *x, const FdNode *fn)
{
    return fn->kind == FD_LET ? value_changes(x, fn->body) : body_changes(x, fn->user->body);
}

/* False: it is no function that could have the form. */
static bool asked_of(const FdNode *fn, Asked *x)
{
    if (fn->kind != FD_LET && !fn->user) return false;
    for (int i = 0; i < 2; i++)
        x->params[i] = fn->kind == FD_LET ? fn->vars[i] : fn->user->params[i];
    return true;
}

bool reduction_keeps(const FdNode *reduce)
{
    Asked x = {0};
    return reduce->type->record && asked_of(reduce->fn, &x) &&
           changes(&x, reduce->fn).kind == MAY_SOME;
}

const KirExpr *gen_changes(Gen *g, const FdNode *reduce, const KirExpr *acc, const KirExpr *value)
{
    Asked x = {.g = g};
    asked_of(reduce->fn, &x);
    bool body = g->body;
    g->body = true;
    GenScope scope = gen_enter(g, g->block);
    gen_bind(g, x.params[0], acc);
    gen_bind(g, x.params[1], value);
    const KirExpr *mask = changes(&x, reduce->fn).mask;
    gen_leave(g, scope);
    g->body = body;
    return mask;
}
