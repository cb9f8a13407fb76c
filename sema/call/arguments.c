/* Arguments of calls: checked in the light of what the overloads want, lent where an array is to be
 * changed. */
#include "../check/check.h"

bool argument_form(Sema *s, const AstList *args, int i)
{
    const Ast *a = args->data[i];
    if (a->kind != AST_BINDER) return true;
    for (int k = 0; k < i; k++)
        if (args->data[k]->kind == AST_BINDER) return false; /* told */
    report(s, a->loc, BINDER,
           "`name : range` binds a variable of a reduction, and this is a call; arguments by name "
           "stand last, and their function is declared with parameters");
    return false;
}

/* `new(1, 2)` and `default`, whose types come from the place. */
static bool is_made_by_place(const Ast *arg)
{
    if (arg->kind == AST_DEFAULT) return !arg->default_.target;
    return arg->kind == AST_NEW && arg->new_.ntype && arg->new_.ntype->kind == AST_TYPE_VAR;
}

/* Does an overload take the other arguments, which are checked? */
static bool takes_others(Sema *s, const Candidate *c, AstList args)
{
    for (int i = 0; i < args.len; i++)
        if (c->params[i] && !is_made_by_place(args.data[i]) &&
            convert_class(s, args.data[i], c->params[i]) == CONV_NONE &&
            convert_result_class(s, args.data[i], c->params[i]) == CONV_NONE)
            return false;
    return true;
}

/* The type of parameter i that all overloads of that length share, or those that take the other
 * arguments; NULL: they differ. */
static const Type *wanted_type(Sema *s, AstList args, const Candidates *set, int i, bool others)
{
    const Type *hint = NULL;
    for (int c = 0; set && c < set->len; c++) {
        if (set->data[c].nparams != args.len) continue;
        if (others && !takes_others(s, &set->data[c], args)) continue;
        const Type *wanted = set->data[c].params[i];
        if (set->data[c].sym->generic && (set->targs || others))
            wanted =
                generic_parameter(s, set->data[c].sym, set->targs, i, others ? args : (AstList){0});
        if (hint && wanted != hint) return NULL;
        hint = wanted;
    }
    return hint;
}

/* Those whose type comes from the place, after the others, which tell the overload. */
static void check_made_by_place(Sema *s, AstList args, const Candidates *set)
{
    for (int i = 0; i < args.len; i++) {
        if (!is_made_by_place(args.data[i])) continue;
        const Type *wanted = wanted_type(s, args, set, i, true);
        if (!wanted) wanted = wanted_type(s, args, set, i, false);
        check_expr(s, &args.data[i], wanted);
        require_value(s, args.data[i]);
    }
}

/* Arguments in the light of the parameter type that all overloads of that length share. */
void check_arguments(Sema *s, AstList args, const Candidates *set)
{
    if (set && untyped_arguments(s, set, args)) return;
    for (int i = 0; i < args.len; i++) {
        if (is_made_by_place(args.data[i])) continue;
        const Type *hint = wanted_type(s, args, set, i, false);
        if (!argument_form(s, &args, i)) {
            args.data[i]->type = s->error;
            continue;
        }
        /* of a lambda for a function that is not there nothing is known */
        if (!set && args.data[i]->kind == AST_LAMBDA) hint = s->error;
        const Type *t = check_expr(s, &args.data[i], hint);
        if (t->kind != TY_GROUP) require_value(s, args.data[i]);
    }
    check_made_by_place(s, args, set);
}

static bool changes_array(const Candidate *c, int i)
{
    if (c->sym->kind != SYM_FUNC || !c->sym->decl || i >= c->sym->decl->func.params.len)
        return false;
    if (!c->sym->library && !(c->sym->decl->func.mods & AST_MOD_REF)) return false;
    const Ast *p = c->sym->decl->func.params.data[i];
    return p->kind == AST_PARAM && p->param.mode == AST_OP_REF &&
           p->param.ptype->kind == AST_TYPE_ARRAY;
}

/* Can the overload take an array there? Not where it wants a function or an object of the library. */
static bool takes_array(const Candidate *c, int i)
{
    if (c->sym->kind != SYM_FUNC || i >= c->sym->decl->func.params.len) return true;
    const Ast *p = c->sym->decl->func.params.data[i],
              *t = p->kind == AST_PARAM ? p->param.ptype : p;
    return t->kind != AST_TYPE_FUNC && !(t->kind == AST_TYPE_NAME && t->type_name.args.len);
}

/* Functions of the library that change an array, Array.Sort(a), are given it without `ref`, too, and those that
 * give a place of one. */
static void lend_arrays(Sema *s, const Candidates *set, AstList args)
{
    for (int i = 0; i < args.len; i++) {
        Ast *a = args.data[i];
        bool changed = false, other = false;
        for (int k = 0; k < set->len; k++) {
            if (set->data[k].nparams != args.len) continue;
            if (changes_array(&set->data[k], i))
                changed = true;
            else
                other = other || takes_array(&set->data[k], i) || peek_type(s, a)->kind != TY_ARRAY;
        }
        bool place = a->kind == AST_NAME_REF || a->kind == AST_MEMBER ||
                     (a->kind == AST_INDEX && !is_slice(a));
        if (!changed || other || !place) continue;
        args.data[i] = ast_new(s->arena, AST_UNARY, a->loc);
        args.data[i]->unary.op = AST_OP_REF;
        args.data[i]->unary.lent = true;
        args.data[i]->unary.operand = a;
    }
}

Candidates call_candidates(Sema *s, Ast *call, Candidates set)
{
    if (!named_arguments(s, call, &call->call.args, &set)) return (Candidates){0};
    lend_arrays(s, &set, call->call.args);
    set = candidates_for(s, set, call->call.args.len);
    set.targs = call->call.targs.len ? &call->call.targs : NULL;
    s->index_depth++;
    check_arguments(s, call->call.args, &set);
    s->index_depth--;
    return generic_candidates(s, set, call->call.args, call->loc);
}
