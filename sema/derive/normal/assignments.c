/* Assignments inside of expressions, in the normal form (shape.h): each is a statement in front of the one that holds
 * it. What the expression has read by then keeps its value.
 *
 *     y = x * f(i++);              $1 = i;  i = $1 + 1;  y = x * f($1);
 *     y = x * (x = 2);             $1 = x;  $2 = 2;  x = $2;  y = $1 * $2;
 *     if (i < 3 && f(ref x) > 0)   $1 = i < 3;  if ($1) { ($2, x) = f(x);  $1 = $2 > 0; }  if ($1)
 */
#include "shape.h"

typedef struct Effects {
    Shape *f;
    Steps *out;
    VEC(Ast **) seen; /* names of variables that come before */
} Effects;

/* Is it handed over by `ref` or `out`? */
static bool is_given(const Ast *arg)
{
    return arg->kind == AST_UNARY && (arg->unary.op == AST_OP_REF || arg->unary.op == AST_OP_OUT);
}

static bool sets_arguments(const Ast *n)
{
    bool any = false;
    for (int i = 0; n->kind == AST_CALL && i < n->call.args.len; i++)
        any = any || is_given(n->call.args.data[i]);
    return any;
}

static void find(Ast **child, void *ctx)
{
    const Ast *n = *child;
    const Ast **found = ctx;
    const bool inside = n->kind == AST_INIT_LIST; /* whose assignments set members */
    if (!*found && (n->kind == AST_ASSIGN || n->kind == AST_INCDEC || sets_arguments(n)))
        *found = n;
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
    if (!effect) return;
    const bool call = effect->kind == AST_CALL;
    shape_fail(f, effect->loc,
               call ? "a call with `ref` or `out` here" : "an assignment inside of an expression",
               "write a statement of its own");
}

/* The variable that is set: it, or an element of it; NULL: it is none of the function. */
static Variable *variable_of(Shape *f, Ast *target)
{
    Ast *base = target->kind == AST_INDEX ? target->index.base : target;
    Variable *v = base->kind == AST_NAME_REF ? shape_find(f, base->name_ref.name) : NULL;
    if (!v || v->definition || !v->type || is_slice(target)) return NULL;
    return base == target || v->type->kind == TY_ARRAY ? v : NULL;
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
            old = shape_temporary(f, "before", v->type, tree_name(f->s, n->loc, v->name), e->out);
        *slot = tree_name(f->s, n->loc, old->name);
    }
}

static void take(Ast **slot, void *ctx);

static void take_places(Effects *e, Ast *target)
{
    for (int i = 0; target->kind == AST_INDEX && i < target->index.args.len; i++)
        take(&target->index.args.data[i], e);
}

/* The assignment becomes statements, and itself a variable with its value. */
static void take_effect(Effects *e, Ast **slot)
{
    Shape *f = e->f;
    Sema *s = f->s;
    Ast *n = *slot;
    const bool step = n->kind == AST_INCDEC, postfix = step && n->incdec.postfix;
    Ast *target = step ? n->incdec.target : n->assign.target;
    Variable *v = variable_of(f, target);
    if (!v) {
        refuse(f, n);
        return;
    }
    take_places(e, target);
    if (!step) take(&n->assign.value, e);
    if (!f->out->good) return;
    const Type *t = target->kind == AST_INDEX ? v->type->result : v->type;
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

/* What a call sets gets its value; `out T x` begins there. */
static void set_given(Shape *f, Ast *arg, const Type *t, Ast *value, Steps *out)
{
    Ast *target = arg->unary.operand;
    if (target->kind == AST_PLACEHOLDER) return;
    if (target->kind == AST_DECL_EXPR) {
        Ast *decl = tree_local(f->s, target->loc, type_node(f->s, target->loc, t),
                               target->decl_expr.name, value);
        shape_declare(f, decl, decl->var_decl.vars.data[0], f->nrest, f->rest, out);
        return;
    }
    shape_set(f, target->loc, target, AST_OP_NONE, value, out);
}

/* f(ref x, out y) becomes a call that gives what they get, and assignments of these (refs.c). */
static void take_call(Effects *e, Ast **slot)
{
    Shape *f = e->f;
    Sema *s = f->s;
    Ast *n = *slot, *call = ast_new(s->arena, AST_CALL, n->loc);
    const AstList args = n->call.args;
    const Fact *fact = facts_at(f->facts, n, FACT_CALL);
    Symbol *called = fact && !fact->under && !fact->called->local && !given_is(fact->called) &&
                             fact->called->type->nparams == args.len
                         ? fact->called
                         : NULL;
    if (!called) {
        refuse(f, n);
        return;
    }
    call->call.callee = n->call.callee;
    for (int i = 0; i < args.len && f->out->good; i++) {
        Ast *arg = args.data[i], *target = is_given(arg) ? arg->unary.operand : NULL;
        const bool fresh =
            target && (target->kind == AST_DECL_EXPR || target->kind == AST_PLACEHOLDER);
        if (target && !fresh && !variable_of(f, target)) refuse(f, n);
        if (target)
            take_places(e, target);
        else
            take(&args.data[i], e);
        if (target && arg->unary.op == AST_OP_OUT) continue;
        call->call.args = ast_list_add(s->arena, call->call.args,
                                       target ? ast_clone(s->arena, target) : args.data[i]);
    }
    for (int i = 0; i < args.len && f->out->good; i++) {
        Variable *v = is_given(args.data[i]) ? variable_of(f, args.data[i]->unary.operand) : NULL;
        if (v) keep_seen(e, v);
    }
    Symbol *version = f->out->good ? refs_version(s, called) : NULL;
    if (!version || !version->type) return;
    const Type *t = version->type->result;
    Ast *whole = call;
    Fact made = {.kind = FACT_CALL, .loc = n->loc, .type = t, .called = version};
    shape_call(f, &whole, &made, e->out);
    const bool result = called->type->result->kind != TY_VOID;
    int count = result, at = 0;
    for (int i = 0; i < args.len; i++) count += is_given(args.data[i]);
    for (int i = result ? -1 : 0; i < args.len && f->out->good; i++) {
        if (i >= 0 && !is_given(args.data[i])) continue;
        Ast *part = count == 1                 ? whole
                    : whole->kind == AST_TUPLE ? tuple_value(whole->tuple.items.data[at])
                                               : tree_member(s, n->loc, ast_clone(s->arena, whole),
                                                             class_of(t)->fields[at]->name);
        at++;
        if (i < 0)
            *slot = part;
        else
            set_given(f, args.data[i], called->type->params[i], part, e->out);
    }
}

static void keep_written(Ast **child, void *ctx)
{
    Effects *e = ctx;
    Ast *n = *child;
    Ast *target = is_given(n) ? n->unary.operand : ast_target(n);
    Variable *v = target ? variable_of(e->f, target) : NULL;
    if (target && target->kind == AST_DECL_EXPR)
        refuse(e->f, n); /* it would be one of the branch */
    else if (v)
        keep_seen(e, v);
    ast_each_child(n, keep_written, ctx);
}

/* a && b, where b assigns: $1 = a; if ($1) $1 = b; */
static void take_lazy(Effects *e, Ast **slot)
{
    Shape *f = e->f;
    Sema *s = f->s;
    Ast *n = *slot, *branch = ast_new(s->arena, AST_IF, n->loc);
    take(&n->binary.left, e);
    keep_written(&n->binary.right, e);
    if (!f->out->good) return;
    const Variable *v = shape_temporary(f, "both", s->boolean, n->binary.left, e->out);
    Ast *set = tree_assign(s, n->loc, tree_name(s, n->loc, v->name), n->binary.right);
    branch->if_.cond = tree_name(s, n->loc, v->name);
    if (n->binary.op == AST_OP_LOR) {
        Ast *not = ast_new(s->arena, AST_UNARY, n->loc);
        not ->unary.op = AST_OP_NOT;
        not ->unary.operand = branch->if_.cond;
        branch->if_.cond = not ;
    }
    branch->if_.then = set;
    shape_if(f, branch, (AstList){0}, e->out);
    *slot = tree_name(s, n->loc, v->name);
}

/* In the order in which they are evaluated. */
static void take(Ast **slot, void *ctx)
{
    Effects *e = ctx;
    Shape *f = e->f;
    Ast *n = *slot;
    const bool lazy =
        n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                                  n->binary.op == AST_OP_COALESCE);
    if (!f->out->good) return;
    if (n->kind == AST_ASSIGN || n->kind == AST_INCDEC) {
        take_effect(e, slot);
        return;
    }
    if (sets_arguments(n)) {
        take_call(e, slot);
        return;
    }
    if (n->kind == AST_NAME_REF) vec_push(&e->seen, slot);
    if (n->kind == AST_COND) {
        refuse(f, shape_effect(n->cond.then));
        refuse(f, shape_effect(n->cond.other));
    } else if (lazy && n->binary.op != AST_OP_COALESCE && shape_effect(n->binary.right)) {
        take_lazy(e, slot);
        return;
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
