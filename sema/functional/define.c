/* What else binds variables: definitions, let and lambdas; and ranges. */
#include "../check/check.h"

/* The value of a function. */
static const Type *check_body(Sema *s, Ast **body, const Type *hint)
{
    int index = s->index_depth;
    s->index_depth = 0;
    s->functional++;
    const Type *t = check_value(s, body, hint);
    s->functional--;
    s->index_depth = index;
    if (t->kind != TY_ARRAY || !type_is_value(t->result) || (hint && hint->kind == TY_ARRAY))
        return t;
    convert_wrap(s, body, type_func(s->types, t->result, t->nparams, t->params));
    return (*body)->type; /* the array at each point is a function: nothing is copied */
}

/* Does a lambda take or give what only the host has? Its parameters are bound. */
static bool is_for_host(Sema *s, const Ast *n, const Ast *body, const Type *hint)
{
    bool host = !n->nbound || (hint && type_is_hosted(hint));
    for (int i = 0; i < n->nbound; i++) host = host || type_is_hosted(n->bound[i]->type);
    if (host || hint || !body) return host;
    const Type *t = peek_type(s, body);
    return t != s->error && (t == s->voids || type_is_hosted(t));
}

/* What a lambda of the host does, or gives; a value that nobody wants is forgotten. */
static const Type *check_action(Sema *s, Ast **body, const Type *wanted)
{
    int index = s->index_depth;
    s->index_depth = 0;
    bool forgets = wanted == s->voids;
    const Type *t = check_expr(s, body, forgets ? NULL : wanted);
    s->index_depth = index;
    const Ast *e = *body;
    bool does =
        e->kind == AST_CALL || e->kind == AST_ASSIGN || e->kind == AST_INCDEC || e->kind == AST_NEW;
    if (t == s->error || t == s->voids || (forgets && does)) {
        if (t == s->voids && wanted && !forgets) return require_value(s, *body);
        return t == s->error ? t : s->voids;
    }
    if (forgets)
        report(s, e->loc, NOT_A_VALUE,
               "this function gives nothing: a call, an assignment, ++ or --");
    return settle_value(s, body);
}

static const Type *bound_function(Sema *s, const Ast *n, const Type *result)
{
    if (result == s->error) return result;
    const Type *params[MAX_PARAMS];
    for (int i = 0; i < n->nbound; i++) {
        params[i] = n->bound[i]->type;
        if (params[i] == s->error) return s->error;
    }
    return type_func(s->types, result, n->nbound, params);
}

/* A function that only the host can apply; such functions have no domain. */
static void make_closure(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (n->kind == AST_LAMBDA) {
        closure_lambda(s, slot);
        return;
    }
    report(s, n->loc, NOT_SUPPORTED, "a '%s' with a domain is not supported yet",
           type_text(s->arena, n->type));
    report_note(s, NOWHERE, "a lambda has no domain; an array can be filled in a loop");
    n->type = s->error;
}

void check_function_expr(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool lambda = n->kind == AST_LAMBDA;
    if (lambda && n->lambda.any && type_is_functional(hint)) lambda_take_any(s, n, hint);
    const AstList *binders = lambda ? &n->lambda.binders : &n->let.binders;
    Ast **body = lambda ? &n->lambda.body : &n->let.body;
    int names = 0;
    for (int i = 0; i < binders->len; i++)
        if (binders->data[i]->kind == AST_BINDER) names += binders->data[i]->binder.names.len;
    bool given = type_is_functional(hint) && hint->nparams == names;
    /* a new array is made by a statement: functional expressions make none */
    bool makes =
        lambda && *body && ((*body)->kind == AST_NEW_ARRAY || (*body)->kind == AST_COLLECTION);
    if (makes && names) *body = tree_block(s, (*body)->loc, 1, tree_return(s, *body));
    if (!names && !lambda) {
        report(s, n->loc, BINDER, "a let without variables is its value: leave it out");
        n->type = s->error;
        return;
    }
    if (!names && s->functional) {
        report(s, n->loc, BINDER, "a functional expression has no functions without parameters");
        n->type = s->error;
        return;
    }
    bool acts = lambda && !s->functional && lambda_acts(s, n);
    if (lambda && *body && (*body)->kind == AST_BLOCK) lambda_statements(s, n, given ? hint : NULL);
    bound_open(s, n, binders->data, binders->len, body, false, given ? hint : NULL);
    bool host = lambda && !s->functional && (acts || is_for_host(s, n, *body, given ? hint : NULL));
    Ast *outer = s->lambda;
    s->lambda = lambda && !s->functional ? n : NULL;
    const Type *t = host ? check_action(s, body, given ? hint->result : NULL)
                         : check_body(s, body, given ? hint->result : NULL);
    s->lambda = outer;
    if (given && t != s->error && t != s->voids &&
        convert_class(s, *body, hint->result) != CONV_NONE) {
        convert_to(s, body, hint->result, NULL);
        t = hint->result;
    }
    if (t != s->error && names && !bound_ranges(s, n, body, given)) t = s->error;
    n->type = bound_function(s, n, t);
    host = host || (lambda && !s->functional && n->type != s->error && closure_calls_host(*body));
    bool hosted = n->type != s->error && (host || type_is_hosted(n->type));
    if (n->type != s->error && !hosted) closure_parts(s, n, body);
    scope_pop(s);
    if (hosted)
        make_closure(s, slot);
    else if (lambda && !s->functional && n->type != s->error && !n->lambda.partial &&
             shared_is_kept(s->shared, n))
        late_note(s, n);
}

void check_define(Sema *s, Ast *n)
{
    const AstList *binders = &n->define.binders;
    const char *outer = s->defining;
    check_attrs(s, &n->define.attrs, ATTR_DEFINITION, NULL);
    const Type *given = NULL;
    int names = 0;
    for (int i = 0; i < binders->len; i++)
        if (binders->data[i]->kind == AST_BINDER) names += binders->data[i]->binder.names.len;
    if (n->define.vtype && n->define.vtype->kind != AST_TYPE_VAR) {
        given = decl_type(s, n->define.vtype);
        if (given != s->error && !type_is_functional(given)) {
            report(s, n->define.vtype->loc, BINDER,
                   "'%s' is a function: the type before it is a functional or array type, or var",
                   n->define.name);
            given = s->error;
        } else if (given != s->error && given->nparams != names) {
            report(s, n->loc, INDEX_COUNT, "'%s' has %d parameter%s, but the definition has %d",
                   type_text(s->arena, given), given->nparams, given->nparams == 1 ? "" : "s",
                   names);
            given = s->error;
        }
    }
    bool typed = given && given != s->error;
    Symbol *sym = scope_symbol(s, SYM_LOCAL, n->define.name, s->error, n->loc, n);
    n->sym = sym;
    s->defining = n->define.name;
    bool recurrence = is_recurrence(n);
    scope_push(s);
    if (recurrence) {
        sym->recurrent = true;
        sym->type = typed ? given : NULL;
        scope_bind(s, sym);
    }
    bound_open(s, n, binders->data, binders->len, &n->define.value, false, typed ? given : NULL);
    if (recurrence && !typed && !given) recurrence_type(s, n, sym);
    const Type *t = check_body(s, &n->define.value, typed ? given->result : NULL);
    if (typed && t != s->error) {
        const char *what = arena_printf(s->arena, "the value of '%s'", n->define.name);
        if (!convert_to(s, &n->define.value, given->result, what)) t = s->error;
        for (int i = 0; i < n->nbound && i < given->nparams; i++)
            if (n->bound[i]->type != given->params[i] && n->bound[i]->type != s->error)
                report(s, n->bound[i]->loc, BOUND_TYPE, "'%s' is '%s', but '%s' wants '%s' here",
                       n->bound[i]->name, type_text(s->arena, n->bound[i]->type),
                       type_text(s->arena, given), type_text(s->arena, given->params[i]));
    }
    if (t != s->error) bound_ranges(s, n, &n->define.value, false);
    if (recurrence && t != s->error) recurrence_uses(s, n);
    if (t != s->error) closure_parts(s, n, &n->define.value);
    scope_pop(s);
    scope_pop(s);
    s->defining = outer;
    sym->type = typed ? given : given ? s->error : bound_function(s, n, t);
    n->type = sym->type;
    if (n->type != s->error && type_is_hosted(n->type)) {
        make_closure(s, &n);
        sym->type = s->error;
    }
    scope_declare(s, sym);
}

/* ---- ranges ----------------------------------------------------------------------------- */

static bool check_bound(Sema *s, Ast **slot)
{
    if (!*slot) return false;
    const Type *t = check_value(s, slot, s->integer);
    if (t == s->error) return false;
    bool integer =
        t->kind == TY_SCALAR && scalar_widens(t->scalar, SC_LONG) && scalar_is_integer(t->scalar);
    if (!integer)
        report(s, (*slot)->loc, OPERANDS, "the bound of a range is an int or a long, not '%s'",
               type_text(s->arena, t));
    return integer;
}

void check_range(Sema *s, Ast *n)
{
    n->type = s->error;
    if (!n->range.lo || !n->range.hi) {
        report(s, n->loc, BINDER, "only in the brackets of a slice can a range be open");
        return;
    }
    bool lo = check_bound(s, &n->range.lo), hi = check_bound(s, &n->range.hi);
    if (!lo || !hi) return;
    const Type *t = common_numeric(s, n->range.lo->type, n->range.hi->type);
    if (t != s->integer) t = s->longs;
    convert_to(s, &n->range.lo, t, NULL);
    convert_to(s, &n->range.hi, t, NULL);
    n->type = type_func(s->types, t, 1, &t);
}
