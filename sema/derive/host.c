/* Derivatives of functions with loops, which the host runs: what Grad and its like become there, and the functions
 * that go back or along in place of others.
 *
 *     Grad(loss(_, x))(w)       $derivative1(w), whose body goes back through the statement `return loss(w, x);`
 *     double loss(double[] w, double[] x) { for .. }        double[] $back_loss2(double[] w, double[] x, double $seed)
 */
#include <string.h>

#include "host.h"

typedef struct HostName { /* what a name that is made means everywhere */
    const char *name;
    Symbol *f;
} HostName;

typedef struct HostVersion {
    DerivedVersion kind;
    const Symbol *of;
    Symbol *f;
} HostVersion;

struct Hosted {
    VEC(HostName) names;
    VEC(DerivedFrom) made;
    VEC(HostVersion) versions;
};

static struct Hosted *hosted(Sema *s)
{
    if (!s->hosted) s->hosted = arena_new_of(s->arena, struct Hosted);
    return s->hosted;
}

void derived_free(Sema *s)
{
    if (!s->hosted) return;
    vec_free(&s->hosted->names);
    vec_free(&s->hosted->made);
    vec_free(&s->hosted->versions);
    lift_free(s);
    small_free(s);
}

const char *derived_plain(Sema *s, Symbol *f)
{
    struct Hosted *h = hosted(s);
    for (size_t i = 0; i < h->names.len; i++)
        if (h->names.data[i].f == f) return h->names.data[i].name;
    HostName one = {code_fresh(s, f->name), f};
    vec_push(&h->names, one);
    return one.name;
}

Symbol *derived_version(Sema *s, DerivedVersion kind, const Symbol *f)
{
    struct Hosted *h = hosted(s);
    for (size_t i = 0; i < h->versions.len; i++)
        if (h->versions.data[i].of == f && h->versions.data[i].kind == kind)
            return h->versions.data[i].f;
    return NULL;
}

Symbol *derived_copy(Sema *s, const Symbol *f, const char *what)
{
    Symbol *made = arena_copy(s->arena, f, sizeof *f);
    made->name = code_fresh(s, arena_printf(s->arena, "%s_%s", what, f->name));
    made->type = NULL;
    made->next = NULL;
    made->as_written = NULL;
    made->impure = NULL;
    made->used = made->implied = made->associative = made->commutative = false;
    made->identity = NULL;
    made->slot = -1;
    made->fdag = made->host = NULL;
    return made;
}

void derived_add_version(Sema *s, DerivedVersion kind, const Symbol *f, Symbol *made)
{
    struct Hosted *h = hosted(s);
    HostVersion one = {kind, f, made};
    HostName named = {made->name, made};
    vec_push(&h->versions, one);
    vec_push(&h->names, named);
}

Symbol *derived_settle(Sema *s, Symbol *made, Ast *decl)
{
    made->decl = decl;
    decl->sym = made;
    Context saved = context_enter(s, made);
    decl_func(s, made, made);
    context_leave(s, &saved);
    class_settle(s);
    return made;
}

Symbol *derived_declare(Sema *s, DerivedVersion kind, const Symbol *f, Symbol *made)
{
    derived_add_version(s, kind, f, made);
    return derived_settle(s, made, made->decl);
}

void derived_drop_version(Sema *s, DerivedVersion kind, const Symbol *f)
{
    struct Hosted *h = hosted(s);
    for (size_t i = 0; i < h->versions.len; i++)
        if (h->versions.data[i].of == f && h->versions.data[i].kind == kind)
            h->versions.data[i].of = NULL;
}

/* ---- functions in place of others --------------------------------------------------------------- */

static void add_param(Sema *s, AstList *params, Loc loc, const Type *t, const char *name)
{
    Ast *p = tree_param(s, loc, type_node(s, loc, t), name);
    p->type = t;
    *params = ast_list_add(s->arena, *params, p);
}

static AstList params_of(Sema *s, const Symbol *f)
{
    AstList params = {0};
    for (int i = 0; i < f->type->nparams; i++) {
        const Ast *p = f->decl->func.params.data[i];
        add_param(s, &params, p->loc, f->type->params[i], p->param.name);
    }
    return params;
}

/* And behind those what it is given besides: the changes of what is differentiated, or the seed (NULL: it is 1). */
static AstList params_behind(Sema *s, AstList params, Normal *n, bool back, const char *seed,
                             Loc loc)
{
    for (size_t i = 0; i < n->params.len; i++) {
        Variable *v = n->params.data[i];
        if (back || !v->differentiated) continue;
        v->bar = code_change(s, v->name);
        add_param(s, &params, loc, v->type, v->bar);
    }
    if (back && seed) add_param(s, &params, loc, n->type, seed);
    return params;
}

/* The statements, and the type of what they return. */
static bool statements_of(Sema *s, Normal *n, DerivedWay way, const char *seed, AstList *out,
                          Ast **result)
{
    const bool back = way == DERIVED_BACK || way == DERIVED_BOTH, value = way == DERIVED_BOTH;
    const Type *types[MAX_PARAMS + 1];
    int count = 0;
    if (!n->good || !normal_activity(n)) return false;
    for (size_t i = 0; i < n->params.len && count < MAX_PARAMS; i++)
        if (n->params.data[i]->differentiated) types[count++] = n->params.data[i]->type;
    if (back) {
        back_statements(s, n, seed, value, out);
        *result = code_tuple_type(s, n->loc, count, types);
        if (value) {
            Ast *both = ast_new(s->arena, AST_TYPE_TUPLE, n->loc);
            code_add_item(s, both, type_node(s, n->loc, n->type));
            code_add_item(s, both, *result);
            *result = both;
        }
    } else {
        along_statements(s, n, way == DERIVED_ALONG, out);
        types[0] = types[1] = n->type;
        *result = code_tuple_type(s, n->loc, way == DERIVED_ALONG ? 2 : 1, types);
    }
    return n->good;
}

const DerivedFrom *derived_from(Sema *s, const Symbol *f)
{
    struct Hosted *h = hosted(s);
    for (size_t i = 0; i < h->made.len; i++) {
        const DerivedFrom *m = &h->made.data[i];
        if (m->f == f && (m->way == DERIVED_BACK || m->way == DERIVED_BOTH)) return m;
    }
    return NULL;
}

/* By the normal form of its statements. */
static bool first_function(Sema *s, Symbol *f, DerivedWay way, unsigned by, Loc loc,
                           AstList *params, AstList *stmts, Ast **result)
{
    Normal n;
    Ast *written = ast_clone(s->arena, f->as_written ? f->as_written : f->decl->func.body);
    const Facts *facts = facts_of_function(s, f);
    *params = params_of(s, f);
    lift_expand(s, f, &written);
    normal_form(s, &n, facts, written, *params, f->type->result);
    const char *seed = code_fresh(s, "seed");
    for (size_t i = 0; i < n.params.len; i++) {
        Variable *v = n.params.data[i];
        v->differentiated = v->active = i < 32 && by >> i & 1;
    }
    *params = params_behind(s, *params, &n, way == DERIVED_BACK || way == DERIVED_BOTH, seed, loc);
    bool good = statements_of(s, &n, way, seed, stmts, result);
    normal_free(&n);
    return good;
}

const Symbol *derived_function(Sema *s, Symbol *f, DerivedWay way, unsigned by, Loc loc)
{
    static const char *const names[] = {"along", "back", "both", "change"};
    const bool back = way == DERIVED_BACK || way == DERIVED_BOTH;
    struct Hosted *h = hosted(s);
    if (given_is(f) && back) return given_function(s, f, loc);
    if (!f->split && split_wanted(facts_of_function(s, f), true)) {
        f = split_version(s, f, loc);
        return f ? derived_function(s, f, way, by, loc) : NULL;
    }
    f = small_version(s, f, loc);
    for (size_t i = 0; i < h->made.len; i++) {
        const DerivedFrom *m = &h->made.data[i];
        if (m->of == f && m->way == way && m->by == by) return m->f;
    }
    const uint64_t mods = f->mods & ~(uint64_t)(AST_MOD_VIRTUAL | AST_MOD_OVERRIDE);
    AstList params = {0}, stmts = {0};
    Ast *result = NULL;
    const DerivedFrom *again = derived_from(s, f), from = again ? *again : (DerivedFrom){0};
    const char *name = code_fresh(s, arena_printf(s->arena, "%s_%s", names[way], f->name));
    Symbol *sym = arena_copy(s->arena, f, sizeof *f);
    sym->name = name;
    DerivedFrom made = {f, way, by, sym};
    HostName named = {name, sym};
    vec_push(&h->made, made); /* it may call itself */
    vec_push(&h->names, named);
    if (f->name[0] != '$' && !given_is(f)) pure_need(s, f, loc, "is differentiated");
    bool good = given_is(f) ? given_along(s, f, way, by, loc, &params, &stmts, &result)
                : again     ? second_function(s, &from, way, by, loc, &params, &stmts, &result)
                            : first_function(s, f, way, by, loc, &params, &stmts, &result);
    if (!good) {
        for (size_t i = 0; i < h->made.len;
             i++) /* to be told again where it is not a copy that is checked */
            if (h->made.data[i].f == sym) h->made.data[i].of = NULL;
        return NULL;
    }
    sym->type = NULL;
    sym->next = NULL;
    sym->slot = -1;
    sym->mods = mods;
    sym->used = false;
    sym->impure = NULL;
    sym->derived = true;
    sym->split = false;
    sym->as_written = NULL;
    sym->associative = sym->commutative = false;
    sym->identity = NULL;
    const Loc at = f->decl->loc;
    return derived_settle(s, sym,
                          tree_func(s, at, mods, result, name, params, code_block(s, at, stmts)));
}

bool derived_call(Sema *s, Ast *n)
{
    const Ast *callee = n->call.callee;
    const char *name = callee->kind == AST_NAME_REF ? callee->name_ref.name
                       : callee->kind == AST_MEMBER ? callee->member.name
                                                    : NULL;
    Ast *object = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    if (!name || name[0] != '$' || !s->hosted) return false;
    for (size_t i = 0; i < s->hosted->names.len; i++) {
        if (s->hosted->names.data[i].name != name) continue;
        Symbol *f = s->hosted->names.data[i].f;
        n->type = s->error;
        for (int k = 0; k < n->call.args.len; k++) {
            Ast **arg = &n->call.args.data[k];
            const Type *t = f->type ? f->type->params[k] : s->error;
            if (check_value(s, arg, t) == s->error || !convert_to(s, arg, t, NULL)) return true;
        }
        if (f->self) {
            if (!object) object = ast_new(s->arena, AST_THIS, n->loc);
            if (check_expr(s, &object, NULL) == s->error) return true;
        }
        if (f->type && f->self)
            call_method(s, n, f, object, n->call.args);
        else if (f->type)
            call_static(s, n, f, n->call.args);
        if (n->call.callee->kind == AST_MEMBER) /* facts.c tells such calls apart */
            n->call.callee->member.name = name;
        return true;
    }
    return false;
}

/* ---- Grad and its like ------------------------------------------------------------------------------ */

/* The lambda's parameters as those of a function. */
static AstList lambda_params(Sema *s, const Ast *lambda, const Type *const *types)
{
    AstList params = {0};
    int at = 0;
    for (int i = 0; i < lambda->lambda.binders.len; i++) {
        const Ast *b = lambda->lambda.binders.data[i];
        for (int k = 0; k < b->binder.names.len; k++, at++) {
            const Ast *name = b->binder.names.data[k];
            add_param(s, &params, name->loc, types[at], name->name_ref.name);
        }
    }
    return params;
}

/* An unchecked call; NULL after a report. */
static Ast *call_of(Sema *s, Loc place, Ast *lambda, const Facts *facts, const Type *const *types,
                    const Type *result, HostWay way, AstList args)
{
    static const DerivedWay derived[] = {[HOST_BACK] = DERIVED_BACK,
                                         [HOST_BACK_SEED] = DERIVED_BACK,
                                         [HOST_BACK_VALUE] = DERIVED_BOTH,
                                         [HOST_ALONG] = DERIVED_ALONG};
    Normal n;
    if (result->kind == TY_FUNC) result = type_array(s->types, result->result, result->nparams);
    AstList params = lambda_params(s, lambda, types), stmts = {0};
    Ast *body = lambda->lambda.body, *written, *lifted;
    Loc loc = lambda->loc;
    if (lift_derivative(s, place, lambda, params, result, way, args, &lifted)) return lifted;
    lift_expand(s, s->func, &body);
    const char *seed = way == HOST_BACK_SEED ? code_fresh(s, "seed") : NULL;
    bool back = way != HOST_ALONG;
    if (body->kind != AST_BLOCK) body = tree_return(s, body);
    normal_form(s, &n, facts, body, params, result);
    for (size_t i = 0; i < n.params.len; i++)
        n.params.data[i]->differentiated = n.params.data[i]->active = true;
    AstList all = params_behind(s, params, &n, back, seed, loc);
    bool good = statements_of(s, &n, derived[way], seed, &stmts, &written);
    normal_free(&n);
    if (!good) return NULL;
    const Type *t = decl_type(s, written);
    class_settle(s);
    return local_block(s, "derivative", code_block(s, loc, stmts), all, args, t);
}

static const LibName ways[] = {[HOST_BACK] = LIB_Grad,
                               [HOST_BACK_VALUE] = LIB_WithGrad,
                               [HOST_BACK_SEED] = LIB_Vjp,
                               [HOST_ALONG] = LIB_Jvp};

bool derived_derivative(Sema *s, Loc loc, Ast *lambda, const Type *const *types, const Type *result,
                        HostWay way, AstList args, Ast **out)
{
    Facts *facts = facts_of_lambda(s, lambda);
    bool wanted = facts_calls_loops(facts), values = type_is_value(result);
    if (split_wanted(facts, false)) {
        int n = 0;
        for (int i = 0; i < lambda->lambda.binders.len; i++)
            n += lambda->lambda.binders.data[i]->binder.names.len;
        vec_free(&facts->list);
        *out = split_derivative(s, s->library[ways[way]], lambda, types, n, result, way, args);
        return true;
    }
    for (int i = 0; i < lambda->lambda.binders.len; i++) values = values && type_is_value(types[i]);
    if (s->functional && values && facts_all_values(facts)) wanted = false;
    if (wanted) *out = call_of(s, loc, lambda, facts, types, result, way, args);
    vec_free(&facts->list);
    return wanted;
}
