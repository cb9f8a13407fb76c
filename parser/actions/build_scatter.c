/* Definitions whose results go to the places that a permutation gives.
 *
 *   T[] y(p(i), j) = e        T[] y(k : p, j) = (let(i : p) e)(ScatterPlaces(p)(k))
 *
 * k has a name that nobody can write. ScatterPlaces (stdlib/core.cs$) is the inverse, once it was checked that there is one. */
#include "build.h"

/* Is it p(i)? */
static bool is_place(const Ast *arg)
{
    return arg->kind == AST_CALL && arg->call.targs.len == 0 && arg->call.args.len == 1 &&
           arg->call.args.data[0]->kind == AST_NAME_REF;
}

Ast *build_scattered(Parse *p, AstList args, Ast *value)
{
    for (int i = 0; i < args.len; i++) {
        Ast *arg = args.data[i];
        if (!is_place(arg)) continue;
        Loc loc = arg->loc;
        Ast *of = arg->call.callee;
        const char *place = build_unnamed(p);
        Ast *inner = build_binder(p, loc, NULL, arg->call.args, ast_clone(p->arena, of));
        Ast *let = build_let(p, loc, AST_LET, build_one(p, inner), value);
        Ast *from = build_call(p, loc, build_name(p, loc, intern_cstr(p->names, "ScatterPlaces")),
                               build_one(p, ast_clone(p->arena, of)));
        from = build_call(p, loc, from, build_one(p, build_name(p, loc, place)));
        args.data[i] = build_binder(p, loc, NULL, build_one(p, build_name(p, loc, place)), of);
        value = build_call(p, value->loc, let, build_one(p, from));
    }
    return value;
}
