/* Pieces of the functions that are made: unchecked trees, by the names of variables. */
#include "host.h"

const char *code_fresh(Sema *s, const char *what)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$%s%d", what[0] == '$' ? what + 1 : what,
                                              ++s->synthetic));
}

const char *code_change(Sema *s, const char *name)
{
    return code_fresh(s, arena_printf(s->arena, "change_%s", name[0] == '$' ? name + 1 : name));
}

void code_add(Sema *s, AstList *out, Ast *stmt)
{
    *out = ast_list_add(s->arena, *out, stmt);
}

void code_local(Sema *s, AstList *out, Loc loc, const Type *t, const char *name, Ast *init)
{
    code_add(s, out, tree_local(s, loc, t ? type_node(s, loc, t) : NULL, name, init));
}

void code_set(Sema *s, AstList *out, Loc loc, const char *name, Ast *value)
{
    code_add(s, out, tree_assign(s, loc, tree_name(s, loc, name), value));
}

Ast *code_block(Sema *s, Loc loc, AstList stmts)
{
    Ast *n = tree_block(s, loc, 0);
    n->block.stmts = stmts;
    return n;
}

Ast *code_if(Sema *s, Loc loc, Ast *cond, AstList then, AstList other)
{
    Ast *n = ast_new(s->arena, AST_IF, loc);
    n->if_.cond = cond;
    n->if_.then = code_block(s, loc, then);
    if (other.len) n->if_.other = code_block(s, loc, other);
    return n;
}

Ast *code_while(Sema *s, Loc loc, Ast *cond, AstList body)
{
    Ast *n = ast_new(s->arena, AST_WHILE, loc);
    n->while_.cond = cond;
    n->while_.body = code_block(s, loc, body);
    return n;
}

void code_add_item(Sema *s, Ast *tuple, Ast *type)
{
    Ast *item = ast_new(s->arena, AST_PARAM, tuple->loc);
    item->param.ptype = type;
    tuple->type_tuple.items = ast_list_add(s->arena, tuple->type_tuple.items, item);
}

Ast *code_tuple_type(Sema *s, Loc loc, int n, const Type *const *types)
{
    if (n == 1) return type_node(s, loc, types[0]);
    Ast *t = ast_new(s->arena, AST_TYPE_TUPLE, loc);
    for (int i = 0; i < n; i++) code_add_item(s, t, type_node(s, loc, types[i]));
    return t;
}

const Type *code_library_of(Sema *s, Loc loc, const char *name, int n, const Type *const *types)
{
    Symbol *g = scope_library(s, SYM_TYPE, name);
    Ast *written = ast_new(s->arena, AST_TYPE_NAME, loc);
    written->type_name.name = g->name;
    written->type_name.args =
        ast_list_add(s->arena, (AstList){0}, code_tuple_type(s, loc, n, types));
    const Type *t = generic_class(s, g, written);
    class_settle(s);
    return t;
}

Ast *code_default(Sema *s, Loc loc, const Type *t)
{
    Ast *n = ast_new(s->arena, AST_DEFAULT, loc);
    n->default_.target = type_node(s, loc, t);
    return n;
}

void code_result(AstList *out, const Normal *n, const Variable *result, const char *name)
{
    Sema *s = n->s;
    Ast *none = n->leaves ? code_default(s, n->loc, result->type) : NULL;
    code_local(s, out, n->loc, result->type, name, none);
}

Ast *code_returned(Sema *s, Loc loc, const Type *t, AstList values)
{
    int at = 0;
    return split_whole(s, loc, t, values, &at, false);
}

/* ---- steps as they are ------------------------------------------------------------------------- */

/* The statement that gives the target its value, under this name. */
static Ast *setting(Sema *s, const Step *step)
{
    if (step->written) return ast_clone(s->arena, step->written);
    Ast *value = ast_clone(s->arena, step->value);
    if (value->kind == AST_DEFINE) return value;
    if (step->declares)
        return tree_local(s, step->loc, type_node(s, step->loc, step->target->type),
                          step->target->name, value);
    return tree_assign(s, step->loc, tree_name(s, step->loc, step->target->name), value);
}

/* What is called by this name in place of a step's callee. */
static Ast *callee_of(Sema *s, const Step *step, const char *name)
{
    if (!step->object) return tree_name(s, step->loc, name);
    return tree_member(s, step->loc, ast_clone(s->arena, step->object), name);
}

static Ast *plain_call(Sema *s, const Step *step)
{
    Ast *call = tree_call(s, step->loc, callee_of(s, step, derived_plain(s, step->callee)), 0);
    for (int i = 0; i < step->args.len; i++)
        call->call.args =
            ast_list_add(s->arena, call->call.args, ast_clone(s->arena, step->args.data[i]));
    return call;
}

void code_results(Sema *s, AstList *out, const Step *step, Ast *value)
{
    Leaves leaves = {0};
    Variable *target;
    if (!step->whole) {
        code_local(s, out, step->loc, step->target->type, step->target->name, value);
        return;
    }
    if (value->kind == AST_CALL) {
        const char *whole = code_fresh(s, "whole");
        code_local(s, out, step->loc, step->whole, whole, value);
        value = tree_name(s, step->loc, whole);
    }
    split_leaves(s, "", step->whole, value, step->loc, &leaves);
    for (size_t i = 0; (target = normal_target(step, i)); i++)
        code_local(s, out, step->loc, target->type, target->name, leaves.data[i].value);
    vec_free(&leaves);
}

void code_step(Sema *s, AstList *out, const Step *step)
{
    AstList first = {0}, second = {0};
    switch (step->kind) {
    case STEP_RUN:
    case STEP_FUNCTION: code_add(s, out, ast_clone(s->arena, step->value)); break;
    case STEP_ASSIGN:
    case STEP_GET:
        if (step->rows && step->target->log) log_put(s, out, step);
        code_add(s, out, setting(s, step));
        break;
    case STEP_PUT:
        if (step->target->log) log_put(s, out, step);
        code_add(s, out,
                 tree_assign(s, step->loc, ast_clone(s->arena, step->value),
                             tree_name(s, step->loc, step->array->name)));
        break;
    case STEP_CALL: code_results(s, out, step, plain_call(s, step)); break;
    case STEP_IF:
        code_steps(s, &first, &step->first);
        code_steps(s, &second, &step->second);
        code_add(s, out, code_if(s, step->loc, ast_clone(s->arena, step->value), first, second));
        break;
    case STEP_LOOP:
        code_steps(s, &first, &step->first);
        code_add(s, out, code_while(s, step->loc, ast_clone(s->arena, step->value), first));
        break;
    }
}

void code_steps(Sema *s, AstList *out, const Steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) code_step(s, out, &steps->data[i]);
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

/* The place of a lambda is that of the whole function: what it reads of that is no constant from outside. */
static Ast *lambda_of(Sema *s, Loc loc, const Variables *by, Ast *body)
{
    Ast *n = ast_new(s->arena, AST_LAMBDA, loc);
    n->lambda.wide = true;
    for (size_t i = 0; i < by->len; i++)
        n->lambda.binders = ast_list_add(s->arena, n->lambda.binders,
                                         tree_binder(s, loc, by->data[i]->type, by->data[i]->name));
    n->lambda.body = body;
    return n;
}

/* The definitions that the value uses, the value under a name of its own, which is returned. */
static Ast *lambda_body(Sema *s, const Step *step, const Variables *functions)
{
    Loc loc = step->loc;
    const Type *t = step->target->type;
    AstList stmts = {0};
    Ast *value = ast_clone(s->arena, step->value);
    if (!functions->len && t->kind == TY_SCALAR)
        return tree_cast(s, loc, type_node(s, loc, t), value);
    for (size_t i = 0; i < functions->len; i++)
        code_add(s, &stmts, ast_clone(s->arena, functions->data[i]->definition));
    const char *name = step->target->name;
    if (value->kind == AST_DEFINE) {
        code_add(s, &stmts, value);
    } else {
        name = code_fresh(s, "value");
        code_local(s, &stmts, loc, t, name, value);
    }
    code_add(s, &stmts, tree_return(s, tree_name(s, loc, name)));
    return code_block(s, loc, stmts);
}

Ast *code_lambda(Sema *s, const Step *step, Variables *by)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < plain.len; i++)
        if (plain.data[i]->active && !normal_is_zeros(step)) vec_push(by, plain.data[i]);
    Ast *lambda = NULL;
    if (by->len > MAX_PARAMS) {
        report(s, step->loc, NOT_SUPPORTED,
               "there is no derivative yet of a statement that reads %d variables", (int)by->len);
        report_note(s, NOWHERE, "make two statements of it: %d variables is the most", MAX_PARAMS);
    } else {
        lambda = lambda_of(s, step->loc, by, lambda_body(s, step, &functions));
    }
    vec_free(&plain);
    vec_free(&functions);
    return lambda;
}

Ast *code_derivative(Sema *s, Ast *lambda, const Type *t, int k, const Variables *by, int nmore,
                     Ast *const *more)
{
    Ast *args[MAX_PARAMS];
    for (size_t i = 0; i < by->len; i++) args[i] = tree_name(s, lambda->loc, by->data[i]->name);
    return derivative_node(s, lambda, t, k, (int)by->len, args, nmore, more);
}

/* The derivative of a constant. */
Ast *code_zero(Sema *s, Loc loc, const Variable *v)
{
    const Type *of = v->type->kind == TY_ARRAY ? v->type->result : v->type;
    bool record = of->kind == TY_RECORD;
    Ast *zero = tree_cast(s, loc, type_node(s, loc, record ? s->real : of), tree_int(s, loc, 0));
    if (v->type->kind != TY_ARRAY && !record) return zero;
    Variable *one[] = {(Variable *)(uintptr_t)v};
    Variables by = {.data = one, .len = 1};
    Ast *lambda = lambda_of(s, loc, &by, zero), *seed = ast_clone(s->arena, zero);
    return code_derivative(s, lambda, v->type, 0, &by, 1, &seed);
}

/* The derivative that a cast makes an array of. */
static Ast *not_stored(Ast *n)
{
    return n->kind == AST_CAST && n->cast.operand->kind == AST_CALL ? n->cast.operand : n;
}

Ast *code_plus(Sema *s, Loc loc, const Type *t, Ast *a, Ast *b)
{
    const Type *of = t->kind == TY_ARRAY ? t->result : t;
    if (of->kind != TY_RECORD) {
        if (t->kind == TY_ARRAY && t->nparams > 1) { /* what is added need not be an array first */
            a = not_stored(a);
            b = not_stored(b);
        }
        return tree_binary(s, loc, AST_OP_ADD, a, b);
    }
    Variable x = {.name = code_fresh(s, "x"), .type = t}, *one[] = {&x};
    const Variables by = {.data = one, .len = 1};
    Ast *lambda = lambda_of(s, loc, &by, tree_name(s, loc, x.name));
    return derivative_node(s, lambda, t, -3, 1, &a, 1, &b);
}

Call code_call(Sema *s, const Step *step, DerivedWay way)
{
    Call c = {0};
    unsigned mask = 0;
    bool given = given_is(step->callee);
    for (size_t i = 0; i < step->given.len && i < 32; i++) {
        Variable *v = step->given.data[i];
        if (!v || !v->active) continue;
        int part = 0;
        mask |= 1u << i;
        vec_push(&c.by, v);
        c.parts = given ? given_parts(step->callee, (int)i, &part) : (int)c.by.len;
        vec_push(&c.part, given ? part : c.parts);
    }
    const Symbol *made = derived_function(s, step->callee, way, mask, step->loc);
    if (!made) return c;
    const char *name = given ? derived_plain(s, (Symbol *)(uintptr_t)made) : made->name;
    c.call = tree_call(s, step->loc, callee_of(s, step, name), 0);
    for (int i = 0; i < step->args.len; i++)
        c.call->call.args =
            ast_list_add(s->arena, c.call->call.args, ast_clone(s->arena, step->args.data[i]));
    return c;
}
