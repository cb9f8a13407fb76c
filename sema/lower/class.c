/* Objects and graphs. An object of a class that derives from a functional type becomes a let over
 * the parameters of its Invoke, if a device can run that: the fields that it reads are captured.
 * Calls that take strings or objects stay on the host: with those captured they are functions of
 * the rest.
 */
#include <string.h>

#include "build.h"

/* ---- Invoke in graphs ------------------------------------------------------------------------ */

/* The class whose Invoke runs for sure: nothing that is used derives from it. */
static const Class *class_of(const Lower *l, const Ast *n)
{
    const Type *t = n->type;
    if (t->kind != TY_OBJECT || !t->decl || !t->decl->cls) return NULL;
    const Class *c = t->decl->cls;
    if (!c->function || !c->invoke) return NULL;
    for (int i = 0; i < l->r->nclasses; i++)
        if (l->r->classes[i]->base == c) return NULL;
    return c;
}

/* The values of fields are captured when the object is converted. The object is a variable, so that
 * reading it for each of them gives the same. */
bool lower_is_invoked(const Lower *l, const Ast *n)
{
    const Ast *object = n->kind == AST_CONVERT ? n->convert.operand : n->cast.operand;
    const Class *c = object->type ? class_of(l, object) : NULL;
    if (!c || (object->kind != AST_NAME_REF && object->kind != AST_THIS)) return false;
    for (size_t i = 0; i < l->hosted.len; i++)
        if (l->hosted.data[i] == c) return false;
    return true;
}

const FdNode *lower_object_field(Lower *l, const Ast *n)
{
    const LowerObject *o = l->in->object;
    if (!o || n->member.base->kind != AST_THIS || n->member.base->type->kind != TY_OBJECT)
        return lower_fail(l, n->loc, "'%s' belongs to an object that is not known here",
                          n->member.name);
    Ast *field = ast_new(l->arena, AST_MEMBER, n->loc);
    field->type = n->type;
    field->sym = n->sym;
    field->member.base = o->value;
    field->member.name = n->member.name;
    return lower_capture(l, field);
}

/* o.GetLowerBound(d), captured */
static const FdNode *object_bound(Lower *l, const Ast *n, Ast *object, Symbol *method, int d)
{
    Ast *dim = ast_new(l->arena, AST_INT_LIT, n->loc), *call = ast_new(l->arena, AST_CALL, n->loc);
    dim->type = type_scalar(l->r->types, SC_INT);
    dim->is_const = true;
    dim->value.i = d;
    dim->int_lit.value = (uint64_t)d;
    call->type = method->type->result;
    call->sym = method;
    call->call.callee = ast_new(l->arena, AST_MEMBER, n->loc);
    call->call.callee->sym = method;
    call->call.callee->type = method->type;
    call->call.callee->member.base = object;
    call->call.callee->member.name = method->name;
    call->call.args = ast_list_add(l->arena, call->call.args, dim);
    return lower_capture(l, call);
}

static const FdNode *invoked(Lower *l, const Ast *n, Ast *object, const Class *c)
{
    const FdType *t = lower_type(l, c->function);
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!t) return lower_fail(l, n->loc, "its parameters or values are no scalars");
    const FdType *whole = fd_type_scalar(l->fd, SC_LONG);
    for (int i = 0; i < t->nparams; i++) {
        vars[i] = fd_var(l->fd, t->params[i], "i");
        doms[i] = (FdDom){.kind = FD_DOM_FULL};
        if (!c->lower || !c->upper) continue;
        const FdNode *lo = object_bound(l, n, object, c->lower, i);
        const FdNode *last = lo ? object_bound(l, n, object, c->upper, i) : NULL;
        if (!last) return NULL;
        const FdNode *end[] = {lower_convert(l, last, whole, n->loc), fd_long(l->fd, 1)};
        doms[i] = (FdDom){FD_DOM_GIVEN, lower_convert(l, lo, whole, n->loc),
                          lower_op(l, FD_OP_ADD, 2, end, n->loc)};
    }
    const FdNode *body = lower_call(l, c->invoke, t->nparams, vars, n->loc);
    if (!body) return NULL;
    return lower_place(l, fd_let(l->fd, t->nparams, vars, doms, body, lower_loc(l, n->loc)),
                       n->loc);
}

/* If a device cannot run Invoke, the host makes a function of the object: what was captured for it
 * is forgotten. */
const FdNode *lower_invoked(Lower *l, const Ast *n)
{
    Ast *object = n->kind == AST_CONVERT ? n->convert.operand : n->cast.operand;
    const Class *c = class_of(l, object);
    LowerObject o = {c->invoke->self, object};
    size_t slots = l->slots.len, captures = l->captures.len;
    LowerContext inside;
    lower_enter(l, &inside);
    inside.object = &o;
    const FdNode *f = invoked(l, n, object, c);
    lower_leave(l);
    if (f || l->in->sealed) return f; /* a function's body captures nothing */
    l->slots.len = slots;
    l->captures.len = captures;
    l->in->reason->why = NULL;
    vec_push(&l->hosted, c);
    return lower_capture(l, n);
}

/* ---- calls that stay on the host ------------------------------------------------------------- */

int lower_hosted_operands(Lower *l, const Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    if (n->kind != AST_CALL || !n->sym || n->sym->kind != SYM_FUNC || l->in->sealed) return 0;
    int count = lower_operands(n, operands), hosted = 0;
    for (int i = 0; i < count; i++) {
        const Type *t = operands[i]->type;
        bool rows = t->kind == TY_ARRAY && type_is_hosted(t); /* int[][] is no int(int)(int) here */
        if (rows || !lower_type(l, t)) hosted = i + 1;
    }
    for (int i = 0; i < hosted; i++)
        if (lower_is_free(operands[i]) || operands[i]->type->kind == TY_FUNC) return 0;
    return hosted < count ? hosted : 0;
}

/* A variable, or a field of what a variable holds: reading it several times gives the same. */
static bool is_at_hand(const Ast *n)
{
    while (n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD && !lower_is_static(n))
        n = n->member.base;
    return n->kind == AST_NAME_REF || n->kind == AST_THIS || lower_is_static(n);
}

/* Is it a method of an object that the host has at hand? */
static bool is_method_at_hand(const Lower *l, const Ast *n)
{
    if (!lower_is_method_call(n) || l->in->object) return false;
    const Ast *object = n->call.callee->member.base;
    const Type *t = object->type;
    return t->kind == TY_OBJECT && t->decl && t->decl->cls && is_at_hand(object);
}

/* A call of a method of an object, as part of the graph: the fields that it reads are captured. NULL with the reason: a
 * device cannot run it. */
static const FdNode *method_call(Lower *l, const Ast *n, int count, const FdNode *const *values,
                                 LowerReason *reason)
{
    LowerObject o = {n->sym->self, n->call.callee->member.base};
    size_t slots = l->slots.len, captures = l->captures.len;
    LowerContext inside;
    lower_enter(l, &inside);
    inside.object = &o;
    inside.reason = reason;
    const FdNode *v = lower_call(l, n->sym, count, values, n->loc);
    lower_leave(l);
    if (v) return v;
    l->slots.len = slots;
    l->captures.len = captures;
    return NULL;
}

const FdNode *lower_hosted_call(Lower *l, const Ast *n, int count, const FdNode *const *values)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    const FdNode *args[FD_MAX_PARAMS];
    const Type *params[FD_MAX_PARAMS];
    int hosted = lower_hosted_operands(l, n), self = lower_is_method_call(n);
    LowerReason reason = {0};
    if (hosted == 1 && is_method_at_hand(l, n)) {
        const FdNode *v = method_call(l, n, count - 1, values + 1, &reason);
        if (v) return v;
    }
    if (count - hosted > FD_MAX_PARAMS)
        return lower_fail(l, n->loc, "'%s' cannot be called here", n->sym->name);
    lower_operands(n, operands);
    Ast *f = ast_new(l->arena, AST_CLOSURE, n->loc);
    for (int i = 0; i < hosted; i++)
        f->closure.captures =
            ast_list_add(l->arena, f->closure.captures, (Ast *)(uintptr_t)operands[i]);
    for (int i = hosted; i < count; i++) params[i - hosted] = n->sym->type->params[i - self];
    f->sym = n->sym;
    f->type = type_func(l->r->types, n->sym->type->result, count - hosted, params);
    const FdNode *fn = lower_capture(l, f);
    if (!fn) return NULL;
    if (reason.why)
        lower_report_host(l, n->sym, &reason, n->loc);
    else
        diag(
            l->diags, n->loc, DIAG_ON_HOST,
            "this is computed on the host, element by element: a device has no strings or objects");
    for (int i = hosted; i < count; i++)
        args[i - hosted] = lower_convert(l, values[i], fn->type->params[i - hosted], n->loc);
    FdLoc loc = lower_loc(l, n->loc);
    return lower_place(l, fd_apply(l->fd, fn, count - hosted, args, loc), n->loc);
}
