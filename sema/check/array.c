/* New arrays and array initialisers: ranks, lengths, element types.
 */
#include "check.h"

/* { { 1, 2 }, { 3, 4 } } as an array type; `dim` is the nesting level. */
void check_init_list(Sema *s, Ast *n, const Type *type, int dim)
{
    n->type = type;
    if (type == s->error) {
        for (int i = 0; i < n->init_list.items.len; i++) {
            if (n->init_list.items.data[i]->kind == AST_INIT_LIST)
                check_init_list(s, n->init_list.items.data[i], type, dim + 1);
            else
                check_value(s, &n->init_list.items.data[i], NULL);
        }
        return;
    }
    if (type->kind != TY_ARRAY) {
        const char *text = type_text(s->arena, type);
        report(s, n->loc, INITIALISER, "an array initialiser cannot make a value of type '%s'%s",
               text, class_of(type) ? arena_printf(s->arena, ": write new %s { .. }", text) : "");
        check_init_list(s, n, s->error, dim);
        return;
    }
    bool last = dim + 1 == type->nparams;
    int width = -1;
    for (int i = 0; i < n->init_list.items.len; i++) {
        Ast **item = &n->init_list.items.data[i];
        bool list = (*item)->kind == AST_INIT_LIST;
        if (list == last) {
            report(s, (*item)->loc, INITIALISER,
                   last ? "too many nesting levels for a '%s'"
                        : "a '%s' needs a nested { ... } here",
                   type_text(s->arena, type));
            if (list)
                check_init_list(s, *item, s->error, dim + 1);
            else
                check_value(s, item, NULL);
            continue;
        }
        if (last) {
            check_converted(s, item, type->result, "an element");
            continue;
        }
        check_init_list(s, *item, type, dim + 1);
        int len = (*item)->init_list.items.len;
        if (width >= 0 && len != width)
            report(s, (*item)->loc, INITIALISER, "this row has %d elements, the first one %d", len,
                   width);
        if (width < 0) width = len;
    }
}

/* The element type of `new[] { ... }`: what all scalars fit. */
static const Type *best_element(Sema *s, const Ast *list)
{
    const Type *best = NULL;
    for (int i = 0; i < list->init_list.items.len; i++) {
        const Ast *item = list->init_list.items.data[i];
        const Type *t = item->kind == AST_INIT_LIST ? best_element(s, item) : peek_type(s, item);
        if (!t || t == s->error) continue;
        const Type *common = best ? common_numeric(s, best, t) : t;
        best = !best || t == best ? t : common ? common : best;
    }
    return best;
}

void check_new_array(Sema *s, Ast *n, const Type *hint)
{
    const Ast *written = n->new_array.elem;
    if (written && written->kind == AST_TYPE_VAR) written = NULL;
    int nsizes = n->new_array.sizes.len;
    const Type *elem = written ? decl_type(s, n->new_array.elem) : NULL;
    if (!elem)
        elem = hint && hint->kind == TY_ARRAY ? hint->result : best_element(s, n->new_array.init);
    const Type *type = s->error;
    if (s->functional)
        report(s, n->loc, NOT_SUPPORTED,
               "a new array inside a functional expression is not supported yet");
    if (!elem)
        report(s, n->loc, NEEDS_TYPE, "the element type of an empty array must be written");
    else if (elem != s->error)
        type = decl_array(s, n->loc, elem, (int)n->new_array.rank);
    n->type = type;
    for (int i = 0; i < nsizes; i++) {
        if (check_value(s, &n->new_array.sizes.data[i], s->integer) == s->error) continue;
        const Ast *size = n->new_array.sizes.data[i];
        if (size->is_const && type_is_numeric(size->type) && !scalar_is_real(size->type->scalar) &&
            size->value.i < 0)
            report(s, size->loc, CONSTANT_VALUE, "a length cannot be negative");
        convert_to(s, &n->new_array.sizes.data[i], s->longs, "a length");
    }
    if (!n->new_array.init) return;
    check_init_list(s, n->new_array.init, type, 0);
    const Ast *level = n->new_array.init;
    for (int i = 0; i < nsizes && level && level->kind == AST_INIT_LIST; i++) {
        const Ast *size = n->new_array.sizes.data[i];
        if (!size->is_const)
            report(s, size->loc, NOT_CONSTANT, "with an initialiser, the lengths are constants");
        else if (size->value.i != level->init_list.items.len)
            report(s, level->loc, INITIALISER, "%d elements for a length of %lld",
                   level->init_list.items.len, (long long)size->value.i);
        level = level->init_list.items.len ? level->init_list.items.data[0] : NULL;
    }
}

/* ---- null ------------------------------------------------------------------------------------ */

bool array_is_null(Sema *s, Ast *n)
{
    const Type *l = n->binary.left->type, *r = n->binary.right->type;
    Ast *array = l->kind == TY_NULL ? n->binary.right : n->binary.left;
    if (!(n->binary.op == AST_OP_EQ || n->binary.op == AST_OP_NE) ||
        (l->kind != TY_NULL && r->kind != TY_NULL) || array->type->kind != TY_ARRAY)
        return false;
    Ast *is = ast_new(s->arena, AST_IS, n->loc);
    is->is_.operand = array;
    is->is_.target = ast_new(s->arena, AST_NULL_LIT, n->loc);
    is->is_.target->type = type_null(s->types);
    is->type = s->boolean;
    if (n->binary.op == AST_OP_NE) {
        Ast *opposite = ast_new(s->arena, AST_UNARY, n->loc);
        opposite->unary.op = AST_OP_NOT;
        opposite->unary.operand = is;
        opposite->type = s->boolean;
        is = opposite;
    }
    *n = *is;
    return true;
}
