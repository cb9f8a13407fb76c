/* Local arrays of user functions: locals with constant lengths, which statements clear, copy and
 * put elements into.
 *
 *   before   float[] t = {x, 1};  t[i] += 2;  float[] u = t;
 *   after    put t(0) = x  put t(1) = 1;  put t(i) = t(i) + 2;  set u = t
 */
#include "body.h"

enum { MOST_BYTES = 4096 }; /* of a function's arrays: each work-item has its own */

bool body_is_new_array(const Ast *n)
{
    return n->kind == AST_NEW_ARRAY || n->kind == AST_INIT_LIST;
}

/* The local array that a name stands for. */
const FdNode *body_array(const Ast *n)
{
    while (n->kind == AST_CONVERT) n = n->convert.operand;
    const FdNode *v =
        n->kind == AST_NAME_REF && n->sym && n->sym->kind == SYM_LOCAL ? n->sym->fdag : NULL;
    return v && v->kind == FD_VAR && v->extent ? v : NULL;
}

static int64_t bytes_of(const FdType *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < fd_type_leaves(t); i++) bytes += (int64_t)scalar_bytes(fd_type_leaf(t, i));
    return bytes;
}

/* The lengths of a new array, which are constants. */
static bool extent_of(Body *b, const Ast *n, int rank, int64_t *extent)
{
    const AstList *sizes = n->kind == AST_NEW_ARRAY ? &n->new_array.sizes : NULL;
    const Ast *level = n->kind == AST_NEW_ARRAY ? n->new_array.init : n;
    for (int d = 0; d < rank; d++) {
        const Ast *size = sizes && d < sizes->len ? sizes->data[d] : NULL;
        while (size && !size->is_const && size->kind == AST_CONVERT) size = size->convert.operand;
        if (size ? !size->is_const : !level || level->kind != AST_INIT_LIST) {
            body_fail(b, n->loc, "it makes an array whose lengths are no constants");
            return false;
        }
        extent[d] = size ? size->value.i : level->init_list.items.len;
        if (extent[d] <= 0 || extent[d] > MOST_BYTES) {
            body_fail(b, n->loc, "it makes an array without elements, or of more than 4096 bytes");
            return false;
        }
        level = level && level->kind == AST_INIT_LIST && level->init_list.items.len
                    ? level->init_list.items.data[0]
                    : NULL;
    }
    return true;
}

/* A new local array of the function; it counts among what its work-items hold. */
static const FdNode *new_array(Body *b, const Type *type, const int64_t *extent, const char *name,
                               Loc loc)
{
    const FdType *t = lower_type(b->l, type);
    if (!t || !t->nparams || t->result->nparams) {
        body_fail(b, loc, "it makes an array of neither numbers nor records");
        return NULL;
    }
    const FdNode *var = fd_local_array(b->l->fd, t, extent, name);
    b->bytes += bytes_of(t->result) * fd_extent_count(var);
    if (b->bytes <= MOST_BYTES) return var;
    body_fail(b, loc, "it makes arrays of more than 4096 bytes");
    return NULL;
}

static const FdNode *element(Body *b, const FdNode *array, int n, const int64_t *at, Loc loc)
{
    const FdNode *index[FD_MAX_RANK];
    for (int d = 0; d < n; d++) {
        ScalarKind k = array->type->params[d]->scalar;
        index[d] = fd_const(b->l->fd, k, (ScalarValue){.i = at[d]});
    }
    const FdNode *e = fd_apply(b->l->fd, array, n, index, lower_loc(b->l, loc));
    return lower_place(b->l, e, loc);
}

/* { { 1, 2 }, { 3, 4 } } */
static void fill(Body *b, const FdNode *array, const Ast *list, int dim, int64_t *at, Tail *out)
{
    int rank = array->type->nparams;
    for (int i = 0; i < list->init_list.items.len && !b->failed; i++) {
        const Ast *item = list->init_list.items.data[i];
        at[dim] = i;
        if (dim + 1 < rank)
            fill(b, array, item, dim + 1, at, out);
        else
            body_set(b, out, element(b, array, rank, at, item->loc), body_value(b, item),
                     item->loc);
    }
}

static const FdNode *make_array(Body *b, const Ast *n, const Type *type, const char *name,
                                Tail *out)
{
    int64_t extent[FD_MAX_RANK], at[FD_MAX_RANK];
    if (!extent_of(b, n, type->nparams, extent)) return NULL;
    const FdNode *var = new_array(b, type, extent, name, n->loc);
    const Ast *list = n->kind == AST_NEW_ARRAY ? n->new_array.init : n;
    if (!var) return NULL;
    if (list)
        fill(b, var, list, 0, at, out);
    else
        body_add(b, out, FD_STMT_CLEAR, n->loc)->var = var;
    return b->failed ? NULL : var;
}

/* float[] t = new float[8]; float[] t = { 1, 2 }; float[] t = u; */
void body_array_decl(Body *b, const Ast *d, Tail *out)
{
    const Ast *init = d->declarator.init;
    const FdNode *from = body_array(init), *var;
    if (from) {
        var = new_array(b, d->sym->type, from->extent, d->sym->name, d->loc);
        if (var && var->type != from->type) {
            body_fail(b, d->loc, "it converts an array");
            return;
        }
        body_set(b, out, var, var ? from : NULL, d->loc);
    } else {
        var = make_array(b, init, d->sym->type, d->sym->name, out);
    }
    if (!var || b->failed) return;
    d->sym->fdag = (void *)(uintptr_t)var;
    vec_push(&b->locals, d->sym);
}

/* t = u, or a new array of t's lengths: its elements may use t's. */
void body_array_assignment(Body *b, const FdNode *array, const Ast *n, Tail *out)
{
    const Ast *v = n->assign.value;
    const FdNode *from = body_array(v);
    if (n->assign.op == AST_OP_NONE && body_is_new_array(v))
        from = make_array(b, v, n->assign.target->sym->type, array->name, out);
    if (b->failed) return;
    if (!from || !fd_same_extent(from, array))
        body_fail(b, n->loc, "it sets an array to one of other lengths");
    else
        body_set(b, out, array, from, n->loc);
}
