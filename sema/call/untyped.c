/* Arguments that are lambdas without types: the other arguments come first, and tell the types of
 * their parameters; what they give tells more.
 */
#include "infer.h"

static bool is_untyped(const Ast *n)
{
    bool some = false;
    if (n->kind != AST_LAMBDA) return false;
    for (int i = 0; i < n->lambda.binders.len; i++) {
        const Ast *b = n->lambda.binders.data[i];
        if (b->kind != AST_BINDER || b->binder.constraint) return false;
        some = some || !b->binder.vtype;
    }
    return some;
}

/* The lambda for a parameter R(T): if T and R are known, it is checked against that; else its own
 * parameters get their types, and its result tells R. */
static void check_lambda(Inference *f, const Ast *written, Ast **slot)
{
    Sema *s = f->s;
    const AstList *params = &written->type_func.params;
    const Type *whole = infer_type(f, written);
    int at = 0;
    for (int i = 0; !whole && i < (*slot)->lambda.binders.len; i++) {
        struct Ast_binder *b = &(*slot)->lambda.binders.data[i]->binder;
        const Type *t = at < params->len ? infer_type(f, params->data[at]) : NULL;
        if (!b->vtype && t && b->names.len == 1) b->vtype = type_node(s, (*slot)->loc, t);
        at += b->names.len;
    }
    Ast *again = whole ? NULL : ast_clone(s->arena, *slot);
    check_expr(s, slot, whole);
    require_value(s, *slot);
    if (whole) return;
    infer_from(f, written, (*slot)->type);
    whole = infer_type(f, written);
    if ((*slot)->type == s->error || !whole || whole == (*slot)->type) return;
    *slot = again; /* x => array where a sequence is wanted: its result converts */
    check_expr(s, slot, whole);
}
/* One overload of a call whose arguments hold untyped lambdas, and what is known of it so far. */
typedef struct Open {
    const Candidate *of;
    const AstList *params;
    Inference known;
    bool out; /* it does not fit */
} Open;

/* The type of a parameter as written, a delegate as what it is a name of. */
static const Ast *written_type(Sema *s, const Ast *param)
{
    const Ast *expanded = decl_expanded(s, param->param.ptype);
    return expanded ? expanded : param->param.ptype;
}

/* The name of functions, a method group. */
static bool is_group(Sema *s, const Ast *arg)
{
    if (arg->kind != AST_NAME_REF && arg->kind != AST_MEMBER) return false;
    return peek_group(s, arg) != NULL;
}

/* Argument i waits for the types of its parameters. */
static bool is_waiting(Sema *s, const Open *o, AstList args, int i)
{
    const Ast *arg = args.data[i], *param = o->params->data[i];
    if (param->kind != AST_PARAM || written_type(s, param)->kind != AST_TYPE_FUNC) return false;
    return is_untyped(arg) || (o->of->sym->generic && is_group(s, arg));
}

static int parameters(const Ast *lambda)
{
    int n = 0;
    for (int i = 0; i < lambda->lambda.binders.len; i++)
        n += lambda->lambda.binders.data[i]->binder.names.len;
    return n;
}

/* Its parameters, one an argument: those of `params T[] rest` are T. NULL: they are not written so. */
static const AstList *params_for(Sema *s, const Candidate *c, int n)
{
    const AstList *written = c->sym->decl ? &c->sym->decl->func.params : NULL;
    if (c->sym->kind != SYM_FUNC || c->form != FORM_REST) return written;
    const Ast *last = written->data[written->len - 1];
    if (last->kind != AST_PARAM || last->param.ptype->kind != AST_TYPE_ARRAY) return NULL;
    AstList *all = arena_new_of(s->arena, AstList);
    for (int i = 0; i < n; i++) {
        Ast *p = i < written->len ? written->data[i] : written->data[written->len - 1];
        if (i >= written->len - 1) {
            p = ast_clone(s->arena, last);
            p->param.ptype = p->param.ptype->type_array.elem;
            p->param.rest = false;
        }
        *all = ast_list_add(s->arena, *all, p);
    }
    return all;
}

/* Can the overload take these arguments, as far as their form tells? */
static bool takes_form(Sema *s, const Candidate *c, const AstList *params, AstList args)
{
    if (c->sym->kind != SYM_FUNC || c->nparams != args.len) return false;
    for (int i = 0; i < args.len; i++) {
        if (params->data[i]->kind != AST_PARAM || args.data[i]->kind == AST_BINDER) return false;
        if (!is_untyped(args.data[i])) continue;
        const Ast *written = written_type(s, params->data[i]);
        if (written->kind == AST_TYPE_ARRAY) return false;
        if (written->kind == AST_TYPE_FUNC &&
            written->type_func.params.len != parameters(args.data[i]))
            return false;
    }
    return true;
}

/* The type of parameter i as far as it is known; NULL. */
static const Type *param_type(const Open *o, int i)
{
    const Type *t = o->of->sym->generic ? infer_type(&o->known, o->params->data[i]->param.ptype)
                                        : o->of->params[i];
    return t == o->known.s->error ? NULL : t;
}

/* The same of parameter k of the function that parameter i is. */
static const Type *lambda_param_type(const Open *o, int i, int k)
{
    const Ast *written = written_type(o->known.s, o->params->data[i]);
    if (o->of->sym->generic && written->kind == AST_TYPE_FUNC)
        return infer_type(&o->known, written->type_func.params.data[k]);
    const Type *t = param_type(o, i);
    return t && type_is_functional(t) && k < t->nparams ? t->params[k] : NULL;
}

/* How many parameters the function has that parameter i is. */
static int nparams_of(Sema *s, const Open *o, int i)
{
    const Ast *written = written_type(s, o->params->data[i]);
    if (written->kind == AST_TYPE_FUNC) return written->type_func.params.len;
    const Type *t = param_type(o, i);
    return t && type_is_functional(t) ? t->nparams : -1;
}

/* The lambda with these types for its parameters. */
static void give_types(const Open *o, int i, Ast *lambda)
{
    Sema *s = o->known.s;
    for (int k = 0, at = 0; k < lambda->lambda.binders.len; k++) {
        struct Ast_binder *b = &lambda->lambda.binders.data[k]->binder;
        const Type *t = lambda_param_type(o, i, at);
        if (!b->vtype && t && b->names.len == 1) b->vtype = type_node(s, lambda->loc, t);
        at += b->names.len;
    }
}

static void learn(Open *open, int n, int i, const Ast *arg)
{
    for (int k = 0; k < n; k++) {
        Open *o = &open[k];
        if (o->out) continue;
        if (o->of->sym->generic)
            o->out = !infer_argument(&o->known, o->params->data[i], arg);
        else
            o->out = arg->type && arg->type->kind != TY_GROUP && arg->type != o->known.s->error &&
                     o->params->data[i]->param.mode == AST_OP_BY_VALUE &&
                     convert_class(o->known.s, arg, o->of->params[i]) == CONV_NONE &&
                     convert_result_class(o->known.s, arg, o->of->params[i]) == CONV_NONE;
    }
}

/* The overloads that give the lambda other types than the first one leave, or it and they are
 * tried. Gives how many differ. */
static int settle(Open *open, int n, int i, Ast *lambda)
{
    Open *first = NULL;
    bool differ = false;
    int left = 0;
    for (int k = 0; k < n; k++) {
        if (open[k].out) continue;
        if (!first) first = &open[k];
        for (int p = 0; p < parameters(lambda); p++)
            differ = differ || lambda_param_type(&open[k], i, p) != lambda_param_type(first, i, p);
    }
    for (int k = 0; k < n && differ; k++) {
        if (open[k].out) continue;
        Ast *copy = ast_clone(open[k].known.s->arena, lambda);
        give_types(&open[k], i, copy);
        open[k].out = peek_type(open[k].known.s, copy) == open[k].known.s->error;
    }
    for (int k = 0; k < n; k++) left += !open[k].out;
    return left;
}

/* f as (x, y) => f(x, y) with the parameters that an overload gives it; NULL: they are not known, or it takes
 * others. */
static Ast *as_lambda(const Open *o, int i, const Ast *group, int nparams)
{
    Sema *s = o->known.s;
    const Type *params[MAX_PARAMS];
    for (int k = 0; k < nparams; k++)
        if (!(params[k] = lambda_param_type(o, i, k))) return NULL;
    const Type *to = type_func(s->types, s->integer, nparams, params);
    Ast *lambda = call_lambda(s, ast_clone(s->arena, group), to);
    return peek_type(s, ast_clone(s->arena, lambda)) == s->error ? NULL : lambda;
}

/* A method group becomes a lambda with as many parameters as one of the overloads gives it, the fewest that
 * it takes; the overloads that give it others are out. */
static void settle_group(Sema *s, Open *open, int n, int i, Ast **slot)
{
    for (int count = 0; count <= MAX_PARAMS; count++) {
        bool found = false;
        for (int k = 0; k < n && !found; k++) {
            if (open[k].out || nparams_of(s, &open[k], i) != count) continue;
            Ast *lambda = as_lambda(&open[k], i, *slot, count);
            found = lambda != NULL;
            if (found) *slot = lambda;
        }
        for (int k = 0; k < n && found; k++)
            open[k].out = open[k].out || nparams_of(s, &open[k], i) != count;
        if (found) return;
    }
}

/* The lambda is checked with the types that the overloads agree on: if one is left and its type is
 * known, in the light of that. */
static void check_waiting(Sema *s, Open *open, int n, int i, Ast **slot)
{
    if ((*slot)->kind != AST_LAMBDA) settle_group(s, open, n, i, slot);
    if ((*slot)->kind != AST_LAMBDA) {
        check_expr(s, slot, NULL);
        return;
    }
    int left = settle(open, n, i, *slot);
    Open *first = NULL;
    for (int k = 0; k < n && !first; k++)
        if (!open[k].out) first = &open[k];
    if (!first) first = &open[0];
    if (left <= 1 && first->of->sym->generic) {
        check_lambda(&first->known, written_type(s, first->params->data[i]), slot);
        return;
    }
    give_types(first, i, *slot);
    check_expr(s, slot, left <= 1 ? param_type(first, i) : NULL);
    require_value(s, *slot);
    learn(open, n, i, *slot);
}

bool untyped_arguments(Sema *s, const Candidates *set, AstList args)
{
    Open *open = arena_array(s->arena, Open, set->len + 1);
    int n = 0, generic = 0;
    bool some = false;
    for (int i = 0; i < set->len; i++) {
        const Candidate *c = &set->data[i];
        const AstList *params = params_for(s, c, args.len);
        if (!params || !takes_form(s, c, params, args) || (set->targs && !c->sym->generic))
            continue;
        open[n] = (Open){.of = c, .params = params};
        open[n].known = (Inference){.s = s, .generic = c->sym};
        if (c->sym->generic && !infer_written(&open[n].known, set->targs)) continue;
        for (int k = 0; k < args.len; k++) some = some || is_waiting(s, &open[n], args, k);
        generic += c->sym->generic != NULL;
        n++;
    }
    if (!some || (!generic && n == 1)) return false;
    for (int later = 0; later < 2; later++)
        for (int i = 0; i < args.len; i++) {
            bool waits = false;
            for (int k = 0; k < n; k++) waits = waits || is_waiting(s, &open[k], args, i);
            if (waits && later) {
                check_waiting(s, open, n, i, &args.data[i]);
            } else if (!waits && !later) {
                if (check_expr(s, &args.data[i], NULL)->kind != TY_GROUP)
                    require_value(s, args.data[i]);
                learn(open, n, i, args.data[i]);
            }
        }
    return true;
}
