/* Derivatives of functions as functions.
 *     Grad(f)(x, y)                ($Derivative(f, 0, x, y, 1), $Derivative(f, 1, x, y, 1))
 *     WithGrad(f)(x)               ($Derivative(f, -2, x), $Derivative(f, 0, x, 1))
 *     Vjp(f)(x, seed)              $Derivative(f, 0, x, seed)
 *     Jvp(f)(x, dx)                ($Derivative(f, -2, x), $Derivative(f, -1, x, dx))
 *     Grad(f)                      (T x) => Grad(f)(x)
 * where f is a lambda; lowering differentiates its body. Number -2 is the value, made of the same definitions, so
 * that both can be one evaluation. */
#include <string.h>

#include "host.h"

typedef struct Derive {
    LibName name;
    const Ast *f;                   /* as it is written */
    const Type *params[MAX_PARAMS]; /* of its open parameters */
    int n;
    const Type *result;
} Derive;

static bool is_named(Sema *s, const Ast *call, LibName *name)
{
    const Ast *callee = call->kind == AST_CALL ? call->call.callee : NULL;
    if (!callee || callee->kind != AST_NAME_REF) return false;
    const char *text = callee->name_ref.name;
    for (LibName i = LIB_Grad; i <= LIB_Jvp; i++) {
        *name = i;
        if (text == s->library[i]) return !scope_user(s, text);
    }
    return false;
}

static bool has_open(const Ast *f)
{
    for (int i = 0; f->kind == AST_CALL && i < f->call.args.len; i++)
        if (f->call.args.data[i]->kind == AST_PLACEHOLDER) return true;
    return false;
}

/* f applied to expressions: what is open takes them. */
static Ast *applied(Sema *s, const Ast *f, int n, Ast *const *args)
{
    Ast *call = ast_clone(s->arena, f);
    if (has_open(f)) {
        for (int i = 0, k = 0; i < call->call.args.len && k < n; i++)
            if (call->call.args.data[i]->kind == AST_PLACEHOLDER)
                call->call.args.data[i] = args[k++];
        return call;
    }
    call = tree_call(s, f->loc, call, 0);
    for (int i = 0; i < n; i++) call->call.args = ast_list_add(s->arena, call->call.args, args[i]);
    return call;
}

static const char *param_name(Sema *s, const char *of, int i)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$%s%d", of, i));
}

/* f as a lambda with typed parameters. */
static Ast *as_lambda(Sema *s, const Derive *d)
{
    Loc loc = d->f->loc;
    Ast *n = ast_new(s->arena, AST_LAMBDA, loc), *args[MAX_PARAMS];
    n->lambda.wide = true;
    if (d->f->kind == AST_LAMBDA) {
        bool typed = true;
        for (int i = 0; i < d->f->lambda.binders.len; i++) {
            const Ast *b = d->f->lambda.binders.data[i];
            typed = typed && b->binder.vtype && b->binder.vtype->kind != AST_TYPE_VAR;
        }
        if (typed) return ast_clone(s->arena, d->f);
    }
    for (int i = 0; i < d->n; i++) {
        const char *name = param_name(s, "x", i);
        n->lambda.binders =
            ast_list_add(s->arena, n->lambda.binders, tree_binder(s, loc, d->params[i], name));
        args[i] = tree_name(s, loc, name);
    }
    n->lambda.body = applied(s, d->f, d->n, args);
    return n;
}

static bool refuse(Sema *s, const Derive *d, Loc loc, const char *why, const char *instead)
{
    report(s, loc, NOT_SUPPORTED, "'%s': %s", library_names[d->name], why);
    report_note(s, NOWHERE, "%s", instead);
    return false;
}

/* What kinds of function there are derivatives of. */
static bool check_kinds(Sema *s, const Derive *d)
{
    Loc loc = d->f->loc;
    if (d->n > MAX_PARAMS)
        return refuse(s, d, loc, "the function has more than 64 parameters",
                      "fix some of them: loss(_, _, x, y)");
    const bool scalar = d->name == LIB_Grad || d->name == LIB_WithGrad;
    for (int i = 0; i <= d->n; i++) {
        const Type *t = i < d->n ? d->params[i] : d->result;
        if (kind_has_reals(t) && !kind_is_free(t))
            return refuse(
                s, d, loc,
                arena_printf(
                    s->arena,
                    "a '%s' has a constructor, which the fields of a derivative need not obey",
                    type_text(s->arena, t)),
                "write a positional class: final class point(double x, double y);");
    }
    for (int i = 0; i < d->n; i++)
        if (!kind_is_real(d->params[i]) && !split_is(d->params[i]))
            return refuse(s, d, loc,
                          arena_printf(s->arena,
                                       "its parameter %d is a '%s', no real or array of reals",
                                       i + 1, type_text(s->arena, d->params[i])),
                          "fix what is not differentiated by: loss(_, _, x, y)");
    bool real = d->result->kind == TY_SCALAR && scalar_is_real(d->result->scalar);
    if (real || (!scalar && (kind_has_reals(d->result) || split_is(d->result)))) return true;
    return refuse(s, d, loc,
                  arena_printf(s->arena, "its result is a '%s', no real%s",
                               type_text(s->arena, d->result), scalar ? " number" : ""),
                  scalar ? "Vjp(f)(x, seed) is the derivative of what has several results"
                         : "a derivative is one of reals");
}

/* The function of a call of Grad and its like; args: what it is applied to, NULL: not yet. False after a report. */
static bool function_of(Sema *s, const Ast *call, const AstList *args, Derive *d)
{
    if (call->call.args.len != 1) {
        report(s, call->loc, ARGUMENT_COUNT, "'%s' takes a function", library_names[d->name]);
        return false;
    }
    d->f = call->call.args.data[0];
    const Type *t = peek_type(s, d->f);
    if (t->kind == TY_FUNC) {
        d->n = t->nparams;
        for (int i = 0; i < d->n && i < MAX_PARAMS; i++) d->params[i] = t->params[i];
    } else if (args) { /* an overload, or a lambda without types: by the arguments */
        bool twice = d->name == LIB_Jvp;
        d->n = (args->len - (d->name == LIB_Vjp)) / (twice ? 2 : 1);
        for (int i = 0; i < d->n && i < MAX_PARAMS; i++) {
            d->params[i] = peek_type(s, args->data[i]);
            if (d->params[i] == s->error) return false;
        }
    } else {
        return refuse(s, d, d->f->loc, "the types of the function's parameters are not known here",
                      "write a lambda with types: Grad((double x) => f(x))");
    }
    const Symbol *sym = d->f->kind == AST_NAME_REF ? scope_lookup(s, d->f->name_ref.name) : NULL;
    if (sym && sym->kind != SYM_FUNC && sym->kind != SYM_BUILTIN)
        return refuse(s, d, d->f->loc, "this function is a variable, whose value is not known here",
                      "write the function itself: Grad(loss(_, _, x, y))");
    if (d->n > MAX_PARAMS) return check_kinds(s, d);
    Ast *lambda = as_lambda(s, d);
    const Type *f = peek_type(s, lambda);
    if (f->kind != TY_FUNC) {
        s->functional++;
        check_expr(s, &lambda, NULL); /* which says what is wrong */
        s->functional--;
        return false;
    }
    d->result = f->result;
    return check_kinds(s, d);
}

enum { CHANGE = -1, VALUE = -2 }; /* in place of a parameter's number */

Ast *derivative_node(Sema *s, const Ast *lambda, const Type *t, int k, int n, Ast *const *args,
                     int nmore, Ast *const *more)
{
    Loc loc = lambda->loc;
    Ast *number = tree_int(s, loc, k < 0 ? 0 : (uint64_t)k);
    if (k < 0) {
        Ast *minus = ast_new(s->arena, AST_UNARY, loc);
        minus->unary.op = AST_OP_NEG;
        minus->unary.operand = tree_int(s, loc, (uint64_t)-k);
        number = minus;
    }
    Ast *call = tree_call(s, loc, tree_name(s, loc, s->library[LIB_Derivative]), 2,
                          ast_clone(s->arena, lambda), number);
    for (int i = 0; i < n; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, ast_clone(s->arena, args[i]));
    for (int i = 0; i < nmore; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, ast_clone(s->arena, more[i]));
    return tree_cast(s, loc, type_node(s, loc, t), call);
}

/* The same of a function, by a parameter or of the result. */
static Ast *derivative(Sema *s, const Derive *d, int k, Ast *const *args, int nmore,
                       Ast *const *more)
{
    const Type *t = k < 0 ? d->result : d->params[k];
    return derivative_node(s, as_lambda(s, d), t, k, d->n, args, nmore, more);
}

static HostWay way_of(LibName name)
{
    return name == LIB_Jvp        ? HOST_ALONG
           : name == LIB_Vjp      ? HOST_BACK_SEED
           : name == LIB_WithGrad ? HOST_BACK_VALUE
                                  : HOST_BACK;
}

/* What it gives: expressions, or a call of what the host runs. NULL after a report. */
static Ast *parts(Sema *s, const Derive *d, Loc loc, AstList args)
{
    AstList all = {0}, by = {0};
    Ast *one = tree_cast(s, loc, type_node(s, loc, d->result), tree_int(s, loc, 1));
    int want = d->name == LIB_Vjp ? d->n + 1 : d->name == LIB_Jvp ? 2 * d->n : d->n;
    if (args.len != want) {
        report(s, loc, ARGUMENT_COUNT, "the function that '%s' gives takes %d argument%s, not %d",
               library_names[d->name], want, want == 1 ? "" : "s", args.len);
        return NULL;
    }
    Ast *host;
    bool whole = false;
    for (int i = 0; i < d->n; i++) whole = whole || split_is(d->params[i]);
    if (whole)
        return split_derivative(s, s->library[d->name], as_lambda(s, d), d->params, d->n, d->result,
                                way_of(d->name), args);
    if (derived_derivative(s, loc, as_lambda(s, d), d->params, d->result, way_of(d->name), args,
                           &host))
        return host;
    if (d->name == LIB_WithGrad || d->name == LIB_Jvp)
        all = ast_list_add(s->arena, all, derivative(s, d, VALUE, args.data, 0, NULL));
    if (d->name == LIB_Jvp) {
        Ast *n = derivative(s, d, CHANGE, args.data, d->n, args.data + d->n);
        return tree_tuple(s, loc, ast_list_add(s->arena, all, n));
    }
    Ast *seed = d->name == LIB_Vjp ? args.data[d->n] : one;
    for (int k = 0; k < d->n; k++)
        by = ast_list_add(s->arena, by, derivative(s, d, k, args.data, 1, &seed));
    return tree_tuple(s, loc, ast_list_add(s->arena, all, tree_tuple(s, loc, by)));
}

Ast *derivative_parts(Sema *s, const Ast *n)
{
    Derive d = {0};
    if (n->kind != AST_CALL || !is_named(s, n->call.callee, &d.name)) return NULL;
    if (!function_of(s, n->call.callee, &n->call.args, &d)) return NULL;
    return parts(s, &d, n->loc, n->call.args);
}

/* Grad(f) as a value. */
static Ast *value_of(Sema *s, const Derive *d, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_LAMBDA, loc);
    AstList args = {0};
    int turns = d->name == LIB_Jvp ? 2 : 1;
    for (int i = 0; i < turns * d->n + (d->name == LIB_Vjp); i++) {
        const char *name = param_name(s, "p", i);
        const Type *t = d->name == LIB_Vjp && i == d->n ? d->result : d->params[i % d->n];
        n->lambda.binders = ast_list_add(s->arena, n->lambda.binders, tree_binder(s, loc, t, name));
        args = ast_list_add(s->arena, args, tree_name(s, loc, name));
    }
    n->lambda.body = parts(s, d, loc, args);
    return n->lambda.body ? n : NULL;
}

/* ---- constants that were computed from a variable ------------------------------------------ */

enum { DEEPEST = 16 };

typedef struct Looking {
    Sema *s;
    const Symbol *wanted; /* NULL: reads of variables outside */
    int depth;
    bool found;
    const Ast *lambda;
    const Ast *const *args;
    int nargs;
} Looking;

/* The value that declares a variable, NULL: none. */
static const Ast *declared(const Symbol *sym)
{
    const Ast *d = sym && sym->kind == SYM_LOCAL ? sym->decl : NULL;
    if (!d) return NULL;
    return d->kind == AST_DEFINE       ? d->define.value
           : d->kind == AST_DECLARATOR ? d->declarator.init
                                       : NULL;
}

static void find_made_from(Ast **child, void *ctx)
{
    Looking *l = ctx;
    const Ast *n = *child;
    if (l->found || l->depth > DEEPEST) return;
    if (n->kind == AST_NAME_REF && n->sym) {
        l->found = n->sym == l->wanted;
        Ast *value = (Ast *)(uintptr_t)declared(n->sym);
        l->depth++;
        if (value && !l->found) find_made_from(&value, ctx);
        l->depth--;
    }
    ast_each_child(*child, find_made_from, ctx);
}

static bool is_made_from(Sema *s, const Symbol *sym, const Symbol *variable)
{
    Looking l = {.s = s, .wanted = variable};
    Ast *value = (Ast *)(uintptr_t)declared(sym);
    if (value && sym != variable) find_made_from(&value, &l);
    return l.found;
}

static bool is_fixed(const Ast *n)
{
    return n->kind == AST_CALL && n->call.callee->kind == AST_NAME_REF && n->call.callee->sym &&
           n->call.callee->sym->kind == SYM_BUILTIN &&
           builtins[n->call.callee->sym->builtin].name == LIB_Fixed;
}

/* Reads of arrays and functions outside that the variables made. */
static void find_constants(Ast **child, void *ctx)
{
    Looking *l = ctx;
    const Ast *n = *child;
    const Symbol *sym = n->kind == AST_NAME_REF ? n->sym : NULL;
    if (is_fixed(n)) return;
    if (sym && declared(sym) && sym->type &&
        (sym->type->kind == TY_ARRAY || type_is_functional(sym->type)) &&
        !normal_is_discrete(sym->type) &&
        (sym->loc.begin < l->lambda->loc.begin || sym->loc.file != l->lambda->loc.file))
        for (int i = 0; i < l->nargs; i++) {
            const Symbol *v = l->args[i]->kind == AST_NAME_REF ? l->args[i]->sym : NULL;
            if (!v || !is_made_from(l->s, sym, v)) continue;
            report(l->s, n->loc, CONSTANT_HERE,
                   "'%s' was computed from '%s', but is a constant in this derivative", sym->name,
                   v->name);
            report_note(l->s, NOWHERE, "Fixed(%s) says that it is meant; else compute it inside",
                        sym->name);
            break;
        }
    ast_each_child(*child, find_constants, ctx);
}

/* No silent zeros: what a lambda reads from outside and the variables made has no derivative. */
static void warn_of_constants(Sema *s, const Ast *lambda, int n, Ast *const *args)
{
    Looking l = {.s = s, .lambda = lambda, .args = (const Ast *const *)args, .nargs = n};
    Ast *body = lambda->lambda.body;
    find_constants(&body, &l);
}

static bool check_node(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee;
    if (callee->kind != AST_NAME_REF || callee->name_ref.name != s->library[LIB_Derivative])
        return false;
    AstList *args = &n->call.args;
    n->type = s->error;
    s->functional++;
    const Type *f = check_expr(s, &args->data[0], NULL);
    s->functional--;
    check_value(s, &args->data[1], s->integer);
    if (f->kind != TY_FUNC) return true;
    int64_t k = args->data[1]->value.i;
    for (int i = 2; i < args->len; i++) {
        int at = i - 2;
        const Type *t = at < f->nparams ? f->params[at]
                        : k < 0         ? f->params[at - f->nparams]
                                        : f->result;
        if (check_value(s, &args->data[i], t) == s->error ||
            !convert_to(s, &args->data[i], t, NULL))
            return true;
    }
    if ((k == 0 || k == CHANGE) && args->data[0]->kind == AST_LAMBDA)
        warn_of_constants(s, args->data[0], f->nparams, args->data + 2);
    const Type *t = k < 0 ? f->result : f->params[k];
    n->type = t->kind == TY_ARRAY ? type_func(s->types, t->result, t->nparams, t->params) : t;
    n->sym = callee->sym =
        builtin_symbol(s, builtin_find(s, SPACE_global, s->library[LIB_Derivative], 0));
    callee->type = s->error;
    return true;
}

bool derivative_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *made = NULL;
    Derive d = {0};
    if (derived_call(s, n) || check_node(s, n)) return true;
    bool value = is_named(s, n, &d.name);
    if (!value && (n->call.callee->kind != AST_CALL || !is_named(s, n->call.callee, &d.name)))
        return false;
    n->type = s->error;
    if (function_of(s, value ? n : n->call.callee, value ? NULL : &n->call.args, &d))
        made = value ? value_of(s, &d, n->loc) : parts(s, &d, n->loc, n->call.args);
    if (!made) return true;
    *slot = made;
    check_expr(s, slot, hint);
    return true;
}

static void find_named(Ast **child, void *ctx)
{
    Sema *s = ((void **)ctx)[0];
    bool *found = ((void **)ctx)[1];
    LibName name;
    if (!*found && *child) {
        *found = is_named(s, *child, &name);
        ast_each_child(*child, find_named, ctx);
    }
}

bool derivative_asked(Sema *s)
{
    bool found = false;
    void *ctx[] = {s, &found};
    const AstList *lists[] = {&s->unit->unit.decls, &s->unit->unit.stmts, &s->unit->unit.imported};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lists[k]->len && !found; i++) {
            Ast *n = lists[k]->data[i];
            if (!sources_get(s->sources, n->loc.file)->library) find_named(&n, ctx);
        }
    return found;
}
