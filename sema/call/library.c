/* Functions of the library whose types depend on functions that they are given: Fold, and those
 * that give a function all indices. Lowering knows them by their rows.
 */
#include <string.h>

#include "../check/check.h"

/* ---- Fold(f, init, step) --------------------------------------------------------------------- */

bool is_fold(Sema *s, const Ast *n)
{
    const Ast *callee = n->call.callee;
    if (callee->kind != AST_NAME_REF || callee->name_ref.name != s->library[LIB_Fold]) return false;
    return !scope_user(s, callee->name_ref.name);
}

static bool is_untyped(const Ast *lambda)
{
    for (int i = 0; i < lambda->lambda.binders.len; i++) {
        const Ast *b = lambda->lambda.binders.data[i];
        if (b->kind == AST_BINDER && b->binder.vtype && b->binder.vtype->kind != AST_TYPE_VAR)
            return false;
    }
    return lambda->lambda.binders.len == 2;
}

static const Type *step_of(Sema *s, const Type *acc, const Type *value)
{
    const Type *params[] = {acc, value};
    return type_func(s->types, acc, 2, params);
}

/* The type of the step A(A, T) for elements of type `t` and a first value `init`; NULL if none is
 * found. Untyped parameters take A from init, and from what the body makes of it. */
static const Type *step_type(Sema *s, Ast *step, Ast *init, const Type *t)
{
    if (step->kind == AST_LAMBDA && is_untyped(step)) {
        const Type *acc = init->type;
        Ast *copy = ast_clone(s->arena, step), like = *init;
        copy->lambda.binders.data[0]->binder.vtype = type_node(s, step->loc, acc);
        copy->lambda.binders.data[1]->binder.vtype = type_node(s, step->loc, t);
        const Type *found = peek_type(s, copy);
        if (found->kind == TY_FUNC && found->result != acc && found->result != s->error &&
            convert_class(s, &like, found->result) != CONV_NONE)
            acc = found->result;
        return step_of(s, acc, t);
    }
    Ast *copy = ast_clone(s->arena, step);
    s->quiet++;
    int errors = s->quiet_errors;
    const Type *found = check_expr(s, &copy, NULL);
    s->quiet_errors = errors;
    s->quiet--;
    if (type_is_functional(found))
        return found->nparams == 2 && found->result == found->params[0] ? found : NULL;
    if (found->kind != TY_GROUP) return found == s->error ? found : NULL;
    if (copy->sym && copy->sym->kind == SYM_FUNC)
        for (const Symbol *f = copy->sym; f; f = f->next)
            if (f->type && f->type->nparams == 2 && f->type->result == f->type->params[0] &&
                f->type->params[1] == t)
                return f->type;
    return step_of(s, init->type, t);
}

/* What no kernel holds, a string, is folded by a loop of the host: foreach (var x in f) all = step(all,
 * x); `given` are unchecked copies of the arguments. */
static bool fold_on_host(Sema *s, Ast *n, const AstList *given, const Type *f, const Type *step)
{
    static const char *const names[] = {"$f", "$all", "$step"};
    const Type *types[] = {f, step->params[0], step};
    Loc loc = n->loc;
    AstList params = {0};
    for (int i = 0; i < 3; i++)
        params = ast_list_add(s->arena, params,
                              tree_param(s, loc, type_node(s, loc, types[i]), names[i]));
    Ast *next = tree_call(s, loc, tree_name(s, loc, "$step"), 2, tree_name(s, loc, "$all"),
                          tree_name(s, loc, "$x"));
    Ast *loop = ast_new(s->arena, AST_FOREACH, loc);
    loop->foreach_.vtype = ast_new(s->arena, AST_TYPE_VAR, loc);
    loop->foreach_.name = intern_cstr(s->names, "$x");
    loop->foreach_.seq = tree_name(s, loc, "$f");
    loop->foreach_.body = tree_assign(s, loc, tree_name(s, loc, "$all"), next);
    Ast *block = tree_block(s, loc, 2, loop, tree_return(s, tree_name(s, loc, "$all")));
    Ast *call = local_block(s, "fold", block, params, *given, step->result);
    if (!call) return false;
    check_expr(s, &call, NULL);
    *n = *call;
    return true;
}

void check_fold(Sema *s, Ast *n)
{
    Ast **args[3] = {NULL};
    AstList given = {0};
    int count = 0;
    n->type = n->call.callee->type = s->error;
    for (int i = 0; i < n->call.args.len; i++) {
        given = ast_list_add(s->arena, given, ast_clone(s->arena, n->call.args.data[i]));
        if (n->call.args.data[i]->kind == AST_BINDER) continue;
        if (count < 3) args[count] = &n->call.args.data[i];
        count++;
    }
    if (count != 3) {
        report(s, n->loc, ARGUMENT_COUNT,
               "Fold takes a function, a first value and a step, not %d argument%s", count,
               count == 1 ? "" : "s");
        return;
    }
    const Type *init = check_value(s, args[1], NULL);
    const Type *t = reduce_operand(s, n, &n->call.args, args[0], "Fold");
    if (t == s->error || init == s->error) return;
    const Type *step = step_type(s, *args[2], *args[1], t);
    if (!step) {
        report(s, (*args[2])->loc, CONVERSION, "the step of a Fold is a function A(A, T)");
        report_note(s, NOWHERE,
                    "it takes what is accumulated and a value, and gives what is "
                    "accumulated then: (sum, x) => sum + x");
        return;
    }
    check_expr(s, args[2], step == s->error ? NULL : step);
    if ((*args[2])->type == s->error || step == s->error) return;
    if (!convert_to(s, args[2], step, "the step") ||
        !convert_to(s, args[1], step->params[0], "the first value") ||
        !convert_result(s, args[0], step->params[1], "the values"))
        return;
    n->sym = n->call.callee->sym =
        builtin_symbol(s, builtin_find(s, SPACE_global, s->library[LIB_Fold], 0));
    n->type = step->result;
    if (type_is_value(n->type) && type_is_value(step->params[1])) return;
    const Type *f = (*args[0])->type;
    if (given.len == 3 && type_is_functional(f) && !s->functional) {
        fold_on_host(s, n, &given, f, step);
        return;
    }
    report(s, n->loc, NOT_SUPPORTED, "a Fold to '%s' is not supported yet: write a loop",
           type_text(s->arena, n->type));
    n->type = s->error;
}

/* ---- Clamp, Periodic, Mirror, Constant ------------------------------------------------------- */

bool check_extension(Sema *s, Ast *n, Symbol *sym)
{
    const Builtin *b = &builtins[sym->builtin];
    const char *name = library_names[b->name];
    bool constant = b->name == LIB_Constant;
    if (b->space != SPACE_global || b->signature[0] != 'F') return false;
    if (n->call.args.len != (constant ? 2 : 1)) {
        report(s, n->loc, ARGUMENT_COUNT, "'%s' takes a function%s", name,
               constant ? " and the value outside of it" : "");
        return true;
    }
    Ast **f = &n->call.args.data[0];
    const Type *t = (*f)->type;
    if (t == s->error) return true;
    bool fits = type_is_functional(t) && type_is_value(t->result);
    for (int i = 0; fits && i < t->nparams; i++)
        fits = t->params[i] == s->integer || t->params[i] == s->longs;
    if (!fits) {
        report(s, (*f)->loc, CONVERSION, "'%s' takes an array or a function of ints, not '%s'",
               name, type_text(s->arena, t));
        return true;
    }
    if (constant && n->call.args.data[1]->type == s->error) return true;
    if (constant && !convert_to(s, &n->call.args.data[1], t->result, "the value outside"))
        return true;
    n->sym = n->call.callee->sym = sym;
    n->type = type_func(s->types, t->result, t->nparams, t->params);
    return true;
}
