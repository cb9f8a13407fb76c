/* Functions that take functions of integers, such as double(int, int): where such an argument may depend on what is
 * differentiated by, a version of the function takes arrays.
 *
 *     double misfit(double(int) u) { .. }       double $arrays_misfit1(double[] u) { .. }
 *     misfit(v)                                 double[] $argument = v;  $arrays_misfit1($argument)
 */
#include "../host.h"

const Type *arrays_of(Sema *s, const Type *t)
{
    if (t->kind != TY_FUNC || t->nparams > MAX_ARRAY_RANK || t->result->kind == TY_FUNC)
        return NULL;
    for (int i = 0; i < t->nparams; i++)
        if (t->params[i] != s->integer) return NULL;
    const Type *array = kind_has_reals(t) ? type_array(s->types, t->result, t->nparams) : NULL;
    return array && kind_is_real(array) ? array : NULL;
}

Symbol *arrays_version(Sema *s, Symbol *f)
{
    Symbol *made = derived_version(s, VERSION_ARRAYS, f);
    const Ast *decl = f->decl;
    Loc loc = decl->loc;
    AstList params = {0};
    if (made) return made;
    Ast *body = ast_clone(s->arena, f->as_written ? f->as_written : decl->func.body);
    made = derived_copy(s, f, "arrays");
    for (int i = 0; i < f->type->nparams; i++) {
        const Ast *p = decl->func.params.data[i];
        const Type *t = arrays_of(s, f->type->params[i]);
        params = ast_list_add(
            s->arena, params,
            tree_param(s, p->loc, type_node(s, p->loc, t ? t : f->type->params[i]), p->param.name));
    }
    lift_expand(s, f, &body);
    made->decl = tree_func(s, loc, decl->func.mods, type_node(s, loc, f->type->result), made->name,
                           params, body);
    return derived_declare(s, VERSION_ARRAYS, f, made);
}
