/* New arrays of elements that are written, where these depend on bound variables or on parameters of functions that
 * are inlined: functions that choose by their index.
 *
 *     double[] d = {u[1], -u[0]};       d = let i : 0..2 in i == 0 ? u(1) : -u(0)
 */
#include "build.h"

enum { MOST_LISTED = 16 }; /* comparisons that reading one may take */

static const AstList *items_of(const Ast *n)
{
    return n->kind == AST_INIT_LIST ? &n->init_list.items : NULL;
}

static const Ast *list_of(const Ast *n)
{
    return n->kind == AST_NEW_ARRAY ? n->new_array.init : n->kind == AST_INIT_LIST ? n : NULL;
}

bool lower_is_listed(const Ast *n)
{
    int count = 1;
    const Ast *list = list_of(n);
    if (!list || !list->type || list->type->kind != TY_ARRAY) return false;
    for (; list && items_of(list) && count <= MOST_LISTED; list = items_of(list)->data[0]) {
        count *= items_of(list)->len;
        if (!items_of(list)->len) return false;
    }
    return count <= MOST_LISTED;
}

/* The element at vars[dim], .. of a list of that level. */
static const FdNode *chosen(Lower *l, const Ast *list, const FdType *t, int dim,
                            const FdNode *const *vars)
{
    const AstList *items = items_of(list);
    const FdNode *value = NULL;
    for (int i = items->len; i-- > 0;) {
        const Ast *item = items->data[i];
        const FdNode *one =
            dim + 1 < t->nparams ? chosen(l, item, t, dim + 1, vars) : lower_expr(l, item);
        if (one) one = lower_convert(l, one, t->result, item->loc);
        if (!one) return NULL;
        const FdNode *place[] = {vars[dim],
                                 fd_const(l->fd, vars[dim]->type->scalar, (ScalarValue){.i = i})};
        const FdNode *values[] = {lower_op(l, FD_OP_EQ, 2, place, item->loc), one, value};
        value = value ? lower_select(l, values, item->loc) : one;
    }
    return value;
}

const FdNode *lower_listed(Lower *l, const Ast *n)
{
    static const char *const names[FD_MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    const Ast *list = list_of(n);
    const FdType *t = lower_type(l, list->type);
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!t) return lower_fail(l, n->loc, "this array cannot be used here");
    for (int d = 0; d < t->nparams; d++) {
        const Ast *level = list;
        for (int k = 0; k < d; k++) level = items_of(level)->data[0];
        const ScalarKind of = t->params[d]->scalar;
        vars[d] = fd_var(l->fd, t->params[d], names[d]);
        doms[d] = (FdDom){FD_DOM_GIVEN, fd_const(l->fd, of, (ScalarValue){.i = 0}),
                          fd_const(l->fd, of, (ScalarValue){.i = items_of(level)->len})};
    }
    const FdNode *body = chosen(l, list, t, 0, vars);
    return body ? fd_let(l->fd, t->nparams, vars, doms, body, lower_loc(l, n->loc)) : NULL;
}
