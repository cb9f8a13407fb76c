/* Generic functions and classes: for each list of type arguments a copy of the tree, checked with
 * the type parameters bound to them. Instances are found by their arguments; what goes wrong inside
 * says in which instance. Type arguments of calls are inferred from the arguments.
 */
#include <string.h>

#include "class.h"

enum { MAX_NESTING = 20, MAX_TYPE_PARAMS = 8 };

struct Generic {
    const AstList *params; /* TYPE_PARAM */
    Symbol *newest;        /* SYM_FUNC or SYM_TYPE; Instance.older leads to the others */
};

void generic_declare(Sema *s, Symbol *sym, const AstList *tparams)
{
    sym->generic = arena_new_of(s->arena, struct Generic);
    sym->generic->params = tparams;
    if (tparams->len > MAX_TYPE_PARAMS)
        report(s, sym->loc, NOT_SUPPORTED, "more than %d type parameters", MAX_TYPE_PARAMS);
}

void generic_note(Sema *s)
{
    if (!s->instance || s->quiet) return;
    diag_note(s->diags, s->instance->loc, "in the instance %s", s->instance->name);
}

static int nparams(const Symbol *g)
{
    return g->generic->params->len < MAX_TYPE_PARAMS ? g->generic->params->len : MAX_TYPE_PARAMS;
}

/* ---- instances ------------------------------------------------------------------------------ */

static Symbol *find(const Symbol *g, const Type *const *args)
{
    for (Symbol *sym = g->generic->newest; sym; sym = sym->instance->older) {
        bool same = true;
        for (int k = 0; k < sym->instance->nparams && same; k++)
            same = sym->instance->params[k]->type == args[k];
        if (same) return sym;
    }
    return NULL;
}

static const char *instance_name(Sema *s, const Symbol *g, const Type *const *args)
{
    const char *text = arena_printf(s->arena, "%s<", g->name);
    for (int i = 0; i < nparams(g); i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", type_text(s->arena, args[i]));
    return arena_printf(s->arena, "%s>", text);
}

/* The instance for these arguments, its tree a copy; NULL after a report. */
static Symbol *instance(Sema *s, Symbol *g, const Type *const *args, Loc loc)
{
    Symbol *sym = find(g, args);
    if (sym) return sym;
    int depth = s->instance ? s->instance->depth + 1 : 1;
    if (depth > MAX_NESTING) {
        report(s, loc, GENERIC, "instances of '%s' need further instances of it without end",
               g->name);
        return NULL;
    }
    Instance *i = arena_new_of(s->arena, Instance);
    i->of = g;
    i->nparams = nparams(g);
    i->params = arena_array(s->arena, Symbol *, i->nparams);
    i->name = instance_name(s, g, args);
    i->loc = loc;
    i->depth = depth;
    for (int k = 0; k < i->nparams; k++) {
        const Ast *p = g->generic->params->data[k];
        i->params[k] = scope_symbol(s, SYM_TYPE, p->type_param.name, args[k], p->loc, NULL);
    }
    sym = arena_new_of(s->arena, Symbol);
    *sym = *g;
    sym->generic = NULL;
    sym->next = NULL;
    sym->cls = g->kind == SYM_TYPE ? NULL : g->cls;
    sym->instance = i;
    sym->decl = ast_clone(s->arena, g->decl);
    sym->decl->sym = sym;
    if (g->self) {
        sym->self = scope_symbol(s, SYM_PARAM, g->self->name, g->self->type, g->loc, NULL);
        sym->self->mode = AST_OP_BY_VALUE;
    }
    i->older = g->generic->newest;
    g->generic->newest = sym;
    return sym;
}

const Type *generic_class(Sema *s, Symbol *g, Ast *written)
{
    const AstList *given = &written->type_name.args;
    const Type *args[MAX_TYPE_PARAMS] = {0};
    bool broken = false;
    if (given->len != nparams(g)) {
        report(s, written->loc, GENERIC, "'%s' takes %d type argument%s, not %d", g->name,
               nparams(g), nparams(g) == 1 ? "" : "s", given->len);
        return s->error;
    }
    for (int i = 0; i < given->len; i++) {
        args[i] = decl_type(s, given->data[i]);
        if (args[i] == s->voids)
            report(s, given->data[i]->loc, GENERIC, "void is no type argument");
        broken = broken || args[i] == s->error || args[i] == s->voids;
    }
    Symbol *sym = broken ? NULL : instance(s, g, args, written->loc);
    if (!sym) return s->error;
    written->sym = sym;
    return class_type(s, sym);
}

/* ---- inference ------------------------------------------------------------------------------ */

typedef struct Inference {
    Sema *s;
    const Symbol *generic;
    const Type *found[MAX_TYPE_PARAMS];
} Inference;

static int param_index(const Inference *f, const char *name)
{
    for (int i = 0; i < nparams(f->generic); i++)
        if (f->generic->generic->params->data[i]->type_param.name == name) return i;
    return -1;
}

static bool is_param(const Inference *f, const Ast *written)
{
    return written->kind == AST_TYPE_NAME && written->type_name.name &&
           !written->type_name.args.len && param_index(f, written->type_name.name) >= 0;
}

/* Two arguments for one type parameter: the type that both convert to. */
static const Type *join(Sema *s, const Type *a, const Type *b)
{
    if (!a || a == b) return b;
    const Type *common = common_numeric(s, a, b);
    if (common) return common;
    Ast x = {.kind = AST_BAD, .type = a}, y = {.kind = AST_BAD, .type = b};
    if (convert_class(s, &x, b) != CONV_NONE) return b;
    return convert_class(s, &y, a) != CONV_NONE ? a : NULL;
}

static bool unify(Inference *f, const Ast *written, const Type *t);

static bool unify_class(Inference *f, const Ast *written, const Type *t)
{
    const Symbol *g = scope_type(f->s, written->type_name.name);
    for (const Class *c = class_of(t); c; c = c->base) {
        const Instance *i = c->sym->instance;
        if (!i || i->of != g || i->nparams != written->type_name.args.len) continue;
        for (int k = 0; k < i->nparams; k++)
            if (!unify(f, written->type_name.args.data[k], i->params[k]->type)) return false;
        return true;
    }
    const Class *c = class_of(t);
    for (int k = 0; c && k < c->ninterfaces; k++)
        if (c->interfaces[k]->sym->instance && c->interfaces[k]->sym->instance->of == g)
            return unify_class(f, written, c->interfaces[k]->type);
    return true; /* perhaps by a conversion: the other arguments decide */
}

static bool unify(Inference *f, const Ast *written, const Type *t)
{
    if (!t || t == f->s->error || t->kind == TY_NULL || t->kind == TY_GROUP) return true;
    if (is_param(f, written)) {
        const Type **found = &f->found[param_index(f, written->type_name.name)];
        *found = join(f->s, *found, t);
        return *found != NULL;
    }
    if (written->kind == AST_TYPE_NAME && written->type_name.args.len)
        return unify_class(f, written, t);
    if (written->kind == AST_TYPE_TUPLE) {
        const Class *c = type_is_tuple(t) ? class_of(t) : NULL;
        const AstList *items = &written->type_tuple.items;
        for (int i = 0; c && c->nfields == items->len && i < items->len; i++)
            if (!unify(f, items->data[i]->param.ptype, c->fields[i]->type)) return false;
        return true;
    }
    if (written->kind == AST_TYPE_ARRAY) {
        if (!type_is_functional(t) || t->nparams != (int)written->type_array.rank) return true;
        return unify(f, written->type_array.elem, t->result);
    }
    if (written->kind != AST_TYPE_FUNC) return true;
    if (class_of(t) && class_of(t)->function) t = class_of(t)->function;
    if (!type_is_functional(t) || t->nparams != written->type_func.params.len) return true;
    for (int i = 0; i < t->nparams; i++)
        if (!unify(f, written->type_func.params.data[i], t->params[i])) return false;
    return unify(f, written->type_func.result, t->result);
}

/* A function given for a bare T means promotion: T is its result. */
static bool unify_argument(Inference *f, const Ast *param, const Ast *arg)
{
    const Type *t = arg->type;
    bool by_value = param->param.mode == AST_OP_NONE || param->param.mode == AST_OP_BY_VALUE;
    if (is_param(f, param->param.ptype) && t && by_value) t = result_of(t);
    return unify(f, param->param.ptype, t);
}

/* ---- untyped lambdas ------------------------------------------------------------------------ */

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

static bool is_known(const Inference *f, const Ast *written)
{
    const AstList none = {0}, *parts = &none;
    if (is_param(f, written)) return f->found[param_index(f, written->type_name.name)] != NULL;
    if (written->kind == AST_TYPE_ARRAY) return is_known(f, written->type_array.elem);
    if (written->kind == AST_TYPE_NAME) parts = &written->type_name.args;
    if (written->kind == AST_TYPE_FUNC) parts = &written->type_func.params;
    if (written->kind == AST_TYPE_TUPLE) parts = &written->type_tuple.items;
    for (int i = 0; i < parts->len; i++) {
        const Ast *part = parts->data[i];
        if (!is_known(f, part->kind == AST_PARAM ? part->param.ptype : part)) return false;
    }
    return written->kind != AST_TYPE_FUNC || is_known(f, written->type_func.result);
}

/* The written type with what is found for the type parameters; NULL if some are not known. */
static const Type *substitute(const Inference *f, const Ast *written)
{
    Sema *s = f->s;
    if (!is_known(f, written)) return NULL;
    Context saved = context_enter(s, f->generic);
    for (int i = 0; i < nparams(f->generic); i++) {
        const Ast *p = f->generic->generic->params->data[i];
        if (f->found[i])
            scope_bind(s, scope_symbol(s, SYM_TYPE, p->type_param.name, f->found[i], p->loc, NULL));
    }
    const Type *t = decl_type(s, ast_clone(s->arena, written));
    context_leave(s, &saved);
    class_settle(s);
    return t;
}

/* The lambda for a parameter R(T): if T and R are known, it is checked against that; else its own
 * parameters get their types, and its result tells R. */
static void check_lambda(Inference *f, const Ast *written, Ast **slot)
{
    Sema *s = f->s;
    const AstList *params = &written->type_func.params;
    const Type *whole = substitute(f, written);
    int at = 0;
    for (int i = 0; !whole && i < (*slot)->lambda.binders.len; i++) {
        struct Ast_binder *b = &(*slot)->lambda.binders.data[i]->binder;
        const Type *t = at < params->len ? substitute(f, params->data[at]) : NULL;
        if (!b->vtype && t && b->names.len == 1) b->vtype = type_node(s, (*slot)->loc, t);
        at += b->names.len;
    }
    check_expr(s, slot, whole);
    require_value(s, *slot);
    if (!whole) unify(f, written, (*slot)->type);
}

/* The types that are written fill `found`; false after a report. */
static bool take_written(Inference *f, const AstList *targs)
{
    Sema *s = f->s;
    if (!targs) return true;
    if (targs->len != nparams(f->generic)) return false;
    for (int i = 0; i < targs->len; i++) f->found[i] = decl_type(s, targs->data[i]);
    for (int i = 0; i < targs->len; i++)
        if (f->found[i] == s->error || f->found[i] == s->voids) return false;
    class_settle(s);
    return true;
}

bool generic_arguments(Sema *s, const Candidates *set, AstList args)
{
    const Symbol *only = NULL;
    int fitting = 0;
    bool some = false;
    for (int i = 0; i < set->len; i++) {
        if (set->data[i].nparams != args.len) continue;
        if (set->data[i].form == FORM_REST) return false;
        only = set->data[i].sym;
        fitting++;
    }
    if (fitting != 1 || !only->generic) return false;
    const AstList *params = &only->decl->func.params;
    for (int i = 0; i < args.len; i++) {
        if (params->data[i]->kind != AST_PARAM || args.data[i]->kind == AST_BINDER) return false;
        some = some ||
               (is_untyped(args.data[i]) && params->data[i]->param.ptype->kind == AST_TYPE_FUNC);
    }
    if (!some) return false;
    Inference f = {.s = s, .generic = only};
    if (!take_written(&f, set->targs)) return false;
    for (int later = 0; later < 2; later++)
        for (int i = 0; i < args.len; i++) {
            const Ast *written = params->data[i]->param.ptype;
            bool waits = is_untyped(args.data[i]) && written->kind == AST_TYPE_FUNC;
            if (waits && later) {
                check_lambda(&f, written, &args.data[i]);
            } else if (!waits && !later) {
                if (check_expr(s, &args.data[i], NULL)->kind != TY_GROUP)
                    require_value(s, args.data[i]);
                unify_argument(&f, params->data[i], args.data[i]);
            }
        }
    return true;
}

/* ---- the overloads that fit ----------------------------------------------------------------- */

static Symbol *typed_instance(Sema *s, Symbol *g, const Type *const *args, Loc loc)
{
    Symbol *sym = instance(s, g, args, loc);
    if (!sym || sym->type) return sym;
    Context saved = context_enter(s, sym);
    decl_func(s, sym, sym);
    context_leave(s, &saved);
    class_settle(s);
    return sym;
}

Symbol *generic_of(Sema *s, Symbol *g, const Type *t, Loc loc)
{
    return typed_instance(s, g, &t, loc);
}

static Symbol *infer(Sema *s, Symbol *g, Form form, const AstList *targs, AstList args, Loc loc)
{
    const AstList *params = &g->decl->func.params;
    Inference f = {.s = s, .generic = g};
    if (params->len != args.len && form == FORM_NONE) return NULL;
    if (!take_written(&f, targs)) return NULL;
    for (int i = 0; i < args.len && !targs; i++) {
        bool rest = form == FORM_REST && i >= params->len - 1;
        const Ast *p = params->data[rest ? params->len - 1 : i];
        if (p->kind != AST_PARAM) return NULL;
        const Ast *written = p->param.ptype;
        if (rest ? written->kind == AST_TYPE_ARRAY &&
                       !unify(&f, written->type_array.elem, args.data[i]->type)
                 : !unify_argument(&f, p, args.data[i]))
            return NULL;
    }
    for (int i = 0; i < nparams(g); i++)
        if (!f.found[i] || f.found[i] == s->voids) return NULL;
    return typed_instance(s, g, f.found, loc);
}

Candidates generic_candidates(Sema *s, Candidates set, AstList args, Loc loc)
{
    Candidates out = {.name = set.name};
    const Symbol *left = NULL;
    bool broken = false;
    for (int i = 0; i < args.len; i++) broken = broken || args.data[i]->type == s->error;
    out.data = arena_array(s->arena, Candidate, set.len ? set.len : 1);
    for (int i = 0; i < set.len; i++) {
        if (!set.data[i].sym->generic) {
            if (set.targs) continue;
            out.data[out.len++] = set.data[i];
            continue;
        }
        Form form = set.data[i].form;
        Symbol *sym = broken ? NULL : infer(s, set.data[i].sym, form, set.targs, args, loc);
        if (sym && sym->type) {
            candidates_add(&out, sym);
            if (form != FORM_NONE) candidate_reshape(&out.data[out.len - 1], args.len);
        } else if (set.data[i].nparams == args.len || !left) {
            left = set.data[i].sym;
        }
    }
    if (set.targs && !out.len && !left) {
        report(s, loc, GENERIC, "'%s' is not generic and takes no type arguments", set.name);
        return out;
    }
    if (out.len || !left || broken) return out;
    if (set.targs && set.targs->len != nparams(left)) {
        report(s, loc, GENERIC, "'%s' takes %d type argument%s, not %d", left->name, nparams(left),
               nparams(left) == 1 ? "" : "s", set.targs->len);
        return out;
    }
    for (int i = 0; set.targs && i < set.targs->len; i++)
        if (set.targs->data[i]->type == s->error) return out;
    int n = left->decl->func.params.len;
    if (n != args.len)
        report(s, loc, ARGUMENT_COUNT, "'%s' takes %d argument%s, not %d", left->name, n,
               n == 1 ? "" : "s", args.len);
    else
        report(s, loc, GENERIC,
               "the type arguments of '%s' cannot be inferred from these arguments", left->name);
    report_note(s, left->loc, "'%s' is declared here", left->name);
    return out;
}

Symbol *generic_value(Sema *s, Symbol *g, const Type *to, Loc loc)
{
    Ast values[MAX_PARAMS], *args[MAX_PARAMS];
    for (int i = 0; i < to->nparams; i++) {
        values[i] = (Ast){.kind = AST_BAD, .loc = loc, .type = to->params[i]};
        args[i] = &values[i];
    }
    Symbol *f = infer(s, g, FORM_NONE, NULL, (AstList){args, to->nparams}, loc);
    return f && f->type ? f : NULL;
}

bool generic_combines(const Symbol *g)
{
    const Inference f = {.generic = g};
    const struct Ast_func *d = &g->decl->func;
    if (d->params.len != 2 || !is_param(&f, d->ret)) return false;
    for (int i = 0; i < 2; i++) {
        const Ast *p = d->params.data[i];
        if (p->kind != AST_PARAM || !is_param(&f, p->param.ptype) ||
            p->param.ptype->type_name.name != d->ret->type_name.name)
            return false;
    }
    return true;
}

Symbol *generic_combiner(Sema *s, Symbol *g, const Type *t, Loc loc)
{
    Ast value = {.kind = AST_BAD, .loc = loc, .type = t}, *two[] = {&value, &value};
    Symbol *f = generic_combines(g) ? infer(s, g, FORM_NONE, NULL, (AstList){two, 2}, loc) : NULL;
    return f && f->type && is_combiner(f) ? f : NULL;
}
