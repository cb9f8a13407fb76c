/* [Device(d)]: where something is evaluated. It becomes `using (Device.Use(d))` of the library's
 * Device: around the body of a function, and in a function of its own around a definition or a
 * reduction.
 */
#include <string.h>

#include "check.h"

/* Takes [Device(d)] out of the list: the d, or NULL. */
static Ast *take(Sema *s, AstList *attrs)
{
    AstList rest = {0};
    Ast *device = NULL;
    for (int i = 0; i < attrs->len; i++) {
        Ast *a = attrs->data[i];
        bool is = a->kind == AST_ATTR && !strcmp(a->attr.name, "Device") && a->attr.args.len == 1;
        if (is && !device)
            device = a->attr.args.data[0];
        else
            rest = ast_list_add(s->arena, rest, a);
    }
    if (device) *attrs = rest;
    return device;
}

/* using (Device.Use(d)) body; without a body what follows in the list. */
static Ast *use_device(Sema *s, Ast *device, Ast *body)
{
    Loc loc = device->loc;
    Ast *class = ast_new(s->arena, AST_TYPE_NAME, loc);
    class->type_name.name = intern_cstr(s->names, "Device");
    Ast *n = ast_new(s->arena, AST_USING, loc);
    n->using_.resource =
        tree_stmt(s, tree_call(s, loc, tree_member(s, loc, class, "Use"), 1, device));
    n->using_.body = body;
    return n;
}

void device_function(Sema *s, Ast *f)
{
    Ast *device = f->func.body ? take(s, &f->func.attrs) : NULL;
    if (!device) return;
    Ast *body = f->func.body, *use = use_device(s, device, NULL), *block;
    block = tree_block(s, body->loc, 1, use);
    if (body->kind == AST_BLOCK)
        for (int i = 0; i < body->block.stmts.len; i++)
            block->block.stmts =
                ast_list_add(s->arena, block->block.stmts, body->block.stmts.data[i]);
    else
        block->block.stmts = ast_list_add(s->arena, block->block.stmts, body);
    f->func.body = block;
}

/* The call of a function that does this on the device; NULL after a report. */
static Ast *there(Sema *s, Ast *device, Ast *body, const Type *result)
{
    AstList none = {0};
    Ast *block = tree_block(s, body->loc, 1, use_device(s, device, body));
    return local_block(s, "device", block, none, none, result);
}

void device_definition(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    const Ast *attr = attr_find(&n->define.attrs, "Device");
    if (!attr || attr->attr.args.len != 1 || s->functional) return;
    if (n->define.vtype->kind != AST_TYPE_ARRAY) {
        report(s, attr->loc, NO_EFFECT,
               "[Device] is for definitions of arrays, `float[] %s(..) = ..`: this one is computed "
               "where it is used",
               n->define.name);
        take(s, &n->define.attrs);
        return;
    }
    const Type *t = decl_type(s, n->define.vtype);
    Ast *device = take(s, &n->define.attrs);
    if (t == s->error) return;
    Ast *value = tree_return(s, tree_name(s, n->loc, n->define.name));
    Ast *call = there(s, device, tree_block(s, n->loc, 2, n, value), t);
    if (!call) return;
    *slot = tree_local(s, n->loc, type_node(s, n->loc, t), n->define.name, call);
}

bool device_reduction(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    const Ast *attr = attr_find(&n->attributed.attrs, "Device");
    if (!attr || attr->attr.args.len != 1) return false;
    Ast *device = take(s, &n->attributed.attrs);
    if (s->functional) {
        report(
            s, attr->loc, NO_EFFECT,
            "[Device] inside a functional expression has no effect: all of it is evaluated in one "
            "place");
        return false;
    }
    Ast *value = n->attributed.attrs.len ? n : n->attributed.operand;
    Ast *call = there(s, device, tree_return(s, value), NULL);
    if (!call) {
        n->type = s->error;
        return true;
    }
    *slot = call;
    check_expr(s, slot, NULL);
    return true;
}
