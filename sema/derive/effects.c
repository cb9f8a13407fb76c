/* Assignments inside of expressions, in the normal form (shape.h): each is a statement in front of the one that holds
 * it. What the expression has read by then keeps its value.
 *
 *     y = x * f(i++);              $1 = i;  i = $1 + 1;  y = x * f($1);
 *     y = x * (x = 2);             $1 = x;  $2 = 2;  x = $2;  y = $1 * $2;
 */
#include "shape.h"

typedef struct Effects {
    Shape *f;
    Steps *out;
    VEC(Ast **) seen; /* names of variables that come before */
} Effects;

static void find(Ast **child, void *ctx)
{
    const Ast *n = *child;
    const Ast **found = ctx;
    const bool inside = n->kind == AST_INIT_LIST; /* whose assignments set members */
    if (!*found && (n->kind == AST_ASSIGN || n->kind == AST_INCDEC)) *found = n;
    for (int i = 0; inside && i < n->init_list.items.len; i++) {
        Ast *item = n->init_list.items.data[i];
        find(item->kind == AST_ASSIGN ? &item->assign.value : &n->init_list.items.data[i], ctx);
    }
    if (!inside) ast_each_child(*child, find, ctx);
}

const Ast *shape_effect(Ast *n)
{
    const Ast *found = NULL;
    if (n) find(&n, (void *)&found);
    return found;
}

static void refuse(Shape *f, const Ast *effect)
{
    if (effect)
        shape_fail(f, effect->loc, "an assignment inside of an expression",
                   "write a statement of its own");
}

/* Names that are read before v changes get a variable with what it was. */
static void keep_seen(Effects *e, Variable *v)
{
    Shape *f = e->f;
    const Variable *old = NULL;
    for (size_t i = 0; i < e->seen.len; i++) {
        Ast **slot = e->seen.data[i], *n = *slot;
        if (n->name_ref.name != v->name) continue;
        if (!old)
            old =
                shape_temporary(f, "before", v->type, tree_name(f->s, n->loc, v->name), e->out);
        *slot = tree_name(f->s, n->loc, old->name);
    }
}

static void take(Ast **slot, void *ctx);

/* The assignment becomes statements, and itself a variable with its value. */
static void take_effect(Effects *e, Ast **slot)
{
    Shape *f = e->f;
    Sema *s = f->s;
    Ast *n = *slot;
    const bool step = n->kind == AST_INCDEC, postfix = step && n->incdec.postfix;
    Ast *target = step ? n->incdec.target : n->assign.target;
    Ast *base = target->kind == AST_INDEX ? target->index.base : target;
    Variable *v = base->kind == AST_NAME_REF ? shape_find(f, base->name_ref.name) : NULL;
    if (!v || v->definition || !v->type || is_slice(target) ||
        (base != target && v->type->kind != TY_ARRAY)) {
        refuse(f, n);
        return;
    }
    for (int i = 0; base != target && i < target->index.args.len; i++)
        take(&target->index.args.data[i], e);
    if (!step) take(&n->assign.value, e);
    if (!f->out->good) return;
    const Type *t = base == target ? v->type : v->type->result;
    const AstOp op = step ? n->incdec.op : n->assign.op;
    Ast *value = step ? tree_int(s, n->loc, 1) : n->assign.value;
    keep_seen(e, v);
    const Variable *old =
        postfix ? shape_temporary(f, "before", t, ast_clone(s->arena, target), e->out) : NULL;
    if (op != AST_OP_NONE) {
        Ast *from = old ? tree_name(s, n->loc, old->name) : ast_clone(s->arena, target);
        value = tree_binary(s, n->loc, op, from, value);
        if (t->kind == TY_SCALAR) value = tree_cast(s, n->loc, type_node(s, n->loc, t), value);
    }
    const Variable *now = shape_temporary(f, "now", t, value, e->out);
    shape_set(f, n->loc, target, AST_OP_NONE, tree_name(s, n->loc, now->name), e->out);
    *slot = tree_name(s, n->loc, (old ? old : now)->name);
}

/* In the order in which they are evaluated. */
static void take(Ast **slot, void *ctx)
{
    Effects *e = ctx;
    Shape *f = e->f;
    Ast *n = *slot;
    const bool lazy = n->kind == AST_BINARY &&
                      (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                       n->binary.op == AST_OP_COALESCE);
    if (!f->out->good) return;
    if (n->kind == AST_ASSIGN || n->kind == AST_INCDEC) {
        take_effect(e, slot);
        return;
    }
    if (n->kind == AST_NAME_REF) vec_push(&e->seen, slot);
    if (n->kind == AST_COND) {
        refuse(f, shape_effect(n->cond.then));
        refuse(f, shape_effect(n->cond.other));
    } else if (lazy) {
        refuse(f, shape_effect(n->binary.right));
    } else if (n->kind == AST_LAMBDA || n->kind == AST_DEFINE || n->kind == AST_LET ||
               n->kind == AST_REDUCE || n->kind == AST_SWITCH_EXPR || n->kind == AST_COND_ACCESS) {
        refuse(f, shape_effect(n));
    } else if (n->kind == AST_CALL) {
        for (int i = 0; i < n->call.args.len; i++) /* a reduction of what follows */
            if (n->call.args.data[i]->kind == AST_BINDER) refuse(f, shape_effect(n));
    } else if (n->kind == AST_INIT_LIST) {
        for (int i = 0; i < n->init_list.items.len; i++) {
            Ast *item = n->init_list.items.data[i];
            take(item->kind == AST_ASSIGN ? &item->assign.value : &n->init_list.items.data[i], e);
        }
        return;
    }
    ast_each_child(n, take, e);
}

bool shape_effects(Shape *f, Ast **slot, Steps *out)
{
    Effects e = {.f = f, .out = out};
    if (!shape_effect(*slot)) return false;
    take(slot, &e);
    vec_free(&e.seen);
    return true;
}
