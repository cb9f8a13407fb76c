/* What is differentiated as a function of its own, whose last parameters are what it reads of the function around it:
 *
 *     double k = 2;  Grad((double[] u) => k * misfit(u))(v)     double $of1(double[] u, double k) => k * misfit(u);
 *                                                               $back_of1(v, k, 1)
 *
 * So a derivative is a call of a function of the program, and functions that hold some can be differentiated again
 * (second.c). Where the function around is a generic one, or reads what is no value, it is a function
 * inside (host.c). */
#include "../host.h"

/* A derivative that became a call; trees as they are written are found by place and function. */
typedef struct Lifted {
    const Symbol *in;
    Loc loc;
    HostWay way;
    Symbol *of;
    VEC(const char *) captured;
    int n; /* parameters that it is differentiated by */
} Lifted;

static DerivedWay way_of(HostWay way)
{
    return way == HOST_ALONG ? DERIVED_ALONG : way == HOST_BACK_VALUE ? DERIVED_BOTH : DERIVED_BACK;
}

/* Reads of the function around; false: some cannot be parameters. */
static bool captures_of(Sema *s, Ast *lambda, Lifted *l, AstList *params)
{
    FreeNames names = {0};
    bool good = !s->instance && !(s->func && s->func->instance);
    if (good && s->func && s->func->self) /* of values it is one of those that it is made of */
        good = s->cls->type->kind == TY_OBJECT && !class_is_final_value(s->cls) &&
               !class_is_struct(s->cls);
    free_names(s, lambda, &names);
    for (size_t i = 0; good && i < names.len; i++) {
        Symbol *sym = scope_user(s, names.data[i].name);
        if (!sym) continue;
        if (sym->cell || names.data[i].writes) good = false;
        if (sym->cls)
            continue; /* of the object, or a variable of the program, which functions see */
        if (sym->kind == SYM_FUNC) good = good && !sym->local;
        if (sym->kind == SYM_CONST) good = good && !scope_is_inner(s, sym);
        if (sym->kind != SYM_LOCAL && sym->kind != SYM_PARAM && sym->kind != SYM_BOUND) continue;
        good = good && sym->type && sym->type != s->error && !type_is_hosted(sym->type) &&
               sym->type->kind != TY_FUNC && sym->type->kind != TY_NULL;
        if (!good) break;
        Ast *p = tree_param(s, lambda->loc, type_node(s, lambda->loc, sym->type), sym->name);
        *params = ast_list_add(s->arena, *params, p);
        vec_push(&l->captured, sym->name);
    }
    vec_free(&names);
    return good && params->len <= 32;
}

static Symbol *function_of(Sema *s, const Ast *lambda, const Type *result, AstList params)
{
    Loc loc = lambda->loc;
    Ast *body = ast_clone(s->arena, lambda->lambda.body);
    if (body->kind != AST_BLOCK) body = tree_return(s, body);
    const char *name = code_fresh(s, "of");
    Symbol *sym = scope_symbol(s, SYM_FUNC, name, NULL, loc, NULL);
    sym->slot = -1;
    sym->imported = s->func && s->func->imported;
    sym->cls = s->cls;
    sym->self = s->func ? s->func->self : NULL;
    if (s->cls && !sym->self) sym->mods = AST_MOD_STATIC;
    return derived_settle(
        s, sym, tree_func(s, loc, sym->mods, type_node(s, loc, result), name, params, body));
}

/* The call at these arguments, behind which the seed or the directions stand. */
static Ast *call_of(Sema *s, const Lifted *l, Loc loc, AstList args)
{
    const Symbol *made =
        derived_function(s, l->of, way_of(l->way), l->n == 32 ? ~0u : (1u << l->n) - 1, loc);
    if (!made) return NULL;
    Ast *call = tree_call(s, loc, tree_name(s, loc, made->name), 0);
    for (int i = 0; i < l->n; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, args.data[i]);
    for (size_t i = 0; i < l->captured.len; i++)
        call->call.args =
            ast_list_add(s->arena, call->call.args, tree_name(s, loc, l->captured.data[i]));
    for (int i = l->n; i < args.len; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, args.data[i]);
    const Type *result = l->of->type->result;
    if (l->way == HOST_BACK || l->way == HOST_BACK_VALUE)
        call->call.args =
            ast_list_add(s->arena, call->call.args,
                         tree_cast(s, loc, type_node(s, loc, result), tree_int(s, loc, 1)));
    return call;
}

static Lifted *find(Sema *s, const Symbol *in, Loc loc)
{
    for (size_t i = 0; i < s->lifted.len; i++) {
        Lifted *l = s->lifted.data[i];
        if (l->in == in && l->loc.file == loc.file && l->loc.begin == loc.begin &&
            l->loc.end == loc.end)
            return l;
    }
    return NULL;
}

bool lift_derivative(Sema *s, Loc loc, Ast *lambda, AstList params, const Type *result, HostWay way,
                     AstList args, Ast **out)
{
    Lifted *l = find(s, s->func, loc);
    if (!l) {
        l = arena_new_of(s->arena, Lifted);
        *l = (Lifted){.in = s->func, .loc = loc, .way = way, .n = params.len};
        if (!captures_of(s, lambda, l, &params)) {
            vec_free(&l->captured);
            return false;
        }
        l->of = function_of(s, lambda, result, params);
        vec_push(&s->lifted, l);
    }
    *out = call_of(s, l, loc, args);
    return true;
}

typedef struct Expand {
    Sema *s;
    const Symbol *in;
} Expand;

static void expand(Ast **child, void *ctx)
{
    const Expand *e = ctx;
    Ast *n = *child;
    ast_each_child(n, expand, ctx);
    const Lifted *l =
        n->kind == AST_CALL && n->call.callee->kind == AST_CALL ? find(e->s, e->in, n->loc) : NULL;
    Ast *call = l ? call_of(e->s, l, n->loc, n->call.args) : NULL;
    if (call) *child = call;
}

void lift_expand(Sema *s, const Symbol *in, Ast **tree)
{
    Expand e = {s, in};
    expand(tree, &e);
}

void lift_free(Sema *s)
{
    for (size_t i = 0; i < s->lifted.len; i++) vec_free(&s->lifted.data[i]->captured);
    vec_free(&s->lifted);
}
