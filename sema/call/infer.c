/* Type arguments of calls: inferred from the arguments, by the trees of the parameters' types; then
 * the overloads of which there are instances.
 */
#include "infer.h"

#include <string.h>

static int param_index(const Inference *f, const char *name)
{
    for (int i = 0; i < generic_nparams(f->generic); i++)
        if (generic_param(f->generic, i)->type_param.name == name) return i;
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

static bool unify_class(Inference *f, const Ast *written, const Type *t)
{
    const Symbol *g = scope_type_of(f->s, written->type_name.name, written->type_name.args.len);
    const Type *element = sequence_element(f->s, t);
    if (element && sequence_is_interface(g) && written->type_name.args.len == 1)
        return infer_from(f, written->type_name.args.data[0], element);
    for (const Class *c = class_of(t); c; c = c->base) {
        const Instance *i = c->sym->instance;
        if (!i || i->of != g || i->nparams != written->type_name.args.len) continue;
        for (int k = 0; k < i->nparams; k++)
            if (!infer_from(f, written->type_name.args.data[k], i->params[k]->type)) return false;
        return true;
    }
    const Class *c = class_of(t);
    for (int k = 0; c && k < c->ninterfaces; k++)
        if (c->interfaces[k]->sym->instance && c->interfaces[k]->sym->instance->of == g)
            return unify_class(f, written, c->interfaces[k]->type);
    return true; /* perhaps by a conversion: the other arguments decide */
}

bool infer_from(Inference *f, const Ast *written, const Type *t)
{
    const Ast *expanded = decl_expanded(f->s, written);
    if (expanded) written = expanded;
    if (!t || t == f->s->error || t->kind == TY_NULL || t->kind == TY_GROUP) return true;
    if (is_param(f, written)) {
        const Type **found = &f->found[param_index(f, written->type_name.name)];
        *found = join(f->s, *found, t);
        return *found != NULL;
    }
    if (written->kind == AST_TYPE_NULLABLE)
        return infer_from(f, written->type_nullable.elem, nullable_of(t) ? nullable_of(t) : t);
    if (written->kind == AST_TYPE_NAME && written->type_name.args.len)
        return unify_class(f, written, t);
    if (written->kind == AST_TYPE_TUPLE) {
        const Class *c = type_is_tuple(t) ? class_of(t) : NULL;
        const AstList *items = &written->type_tuple.items;
        for (int i = 0; c && c->nfields == items->len && i < items->len; i++)
            if (!infer_from(f, items->data[i]->param.ptype, c->fields[i]->type)) return false;
        return true;
    }
    if (written->kind == AST_TYPE_ARRAY) {
        if (!type_is_functional(t) || t->nparams != (int)written->type_array.rank) return true;
        return infer_from(f, written->type_array.elem, t->result);
    }
    if (written->kind != AST_TYPE_FUNC) return true;
    if (class_of(t) && class_of(t)->function) t = class_of(t)->function;
    if (!type_is_functional(t) || t->nparams != written->type_func.params.len) return true;
    for (int i = 0; i < t->nparams; i++)
        if (!infer_from(f, written->type_func.params.data[i], t->params[i])) return false;
    return infer_from(f, written->type_func.result, t->result);
}

static bool mentions(const Inference *f, const Ast *written, const char *name)
{
    const AstList *params = &written->type_func.params;
    if (written->kind != AST_TYPE_FUNC)
        return is_param(f, written) && written->type_name.name == name;
    for (int i = 0; i < params->len; i++)
        if (mentions(f, params->data[i], name)) return true;
    return mentions(f, written->type_func.result, name);
}

/* Does a function that another argument is take or give the type parameter? Then what is given for it is
 * handed to that function as it is, and is not promoted over. */
static bool is_handed_on(const Inference *f, const Ast *param)
{
    const AstList *params = &f->generic->decl->func.params;
    for (int i = 0; i < params->len; i++) {
        const Ast *p = params->data[i];
        const Ast *written = p->kind == AST_PARAM && p != param ? p->param.ptype : NULL;
        if (written && written->kind == AST_TYPE_FUNC &&
            mentions(f, written, param->param.ptype->type_name.name))
            return true;
    }
    return false;
}

bool infer_argument(Inference *f, const Ast *param, const Ast *arg)
{
    const Type *t = arg->type;
    const Ast *ret = f->generic->decl->func.ret;
    bool gives = ret->kind != AST_TYPE_NAME || strcmp(ret->type_name.name, "void") != 0;
    bool by_value = decl_mode(param) == AST_OP_BY_VALUE;
    bool made = f->generic->name[0] == '$'; /* for an anonymous type: takes what it is given */
    bool hosted =
        t && t->kind == TY_FUNC && (!t->nparams || type_is_hosted(t)); /* never promoted over */
    bool whole = made || hosted || (t && t->kind == TY_ARRAY && is_handed_on(f, param));
    if (is_param(f, param->param.ptype) && t && by_value && gives && !whole) t = result_of(t);
    return infer_from(f, param->param.ptype, t);
}

static bool is_known(const Inference *f, const Ast *written)
{
    const AstList none = {0}, *parts = &none;
    if (is_param(f, written)) return f->found[param_index(f, written->type_name.name)] != NULL;
    if (written->kind == AST_TYPE_ARRAY) return is_known(f, written->type_array.elem);
    if (written->kind == AST_TYPE_NULLABLE) return is_known(f, written->type_nullable.elem);
    if (written->kind == AST_TYPE_NAME) parts = &written->type_name.args;
    if (written->kind == AST_TYPE_FUNC) parts = &written->type_func.params;
    if (written->kind == AST_TYPE_TUPLE) parts = &written->type_tuple.items;
    for (int i = 0; i < parts->len; i++) {
        const Ast *part = parts->data[i];
        if (!is_known(f, part->kind == AST_PARAM ? part->param.ptype : part)) return false;
    }
    return written->kind != AST_TYPE_FUNC || is_known(f, written->type_func.result);
}

const Type *infer_type(const Inference *f, const Ast *written)
{
    Sema *s = f->s;
    if (!is_known(f, written)) return NULL;
    Context saved = context_enter(s, f->generic);
    for (int i = 0; i < generic_nparams(f->generic); i++) {
        const Ast *p = generic_param(f->generic, i);
        if (f->found[i])
            scope_bind(s, scope_symbol(s, SYM_TYPE, p->type_param.name, f->found[i], p->loc, NULL));
    }
    const Type *t = decl_type(s, ast_clone(s->arena, written));
    context_leave(s, &saved);
    class_settle(s);
    return t;
}

bool infer_written(Inference *f, const AstList *targs)
{
    Sema *s = f->s;
    if (!targs) return true;
    if (targs->len != generic_nparams(f->generic)) return false;
    for (int i = 0; i < targs->len; i++) f->found[i] = decl_type(s, targs->data[i]);
    for (int i = 0; i < targs->len; i++)
        if (f->found[i] == s->error || f->found[i] == s->voids) return false;
    class_settle(s);
    return true;
}

const Type *generic_receiver(Sema *s, const Symbol *g, const AstList *targs, const Ast *arg)
{
    Inference f = {.s = s, .generic = g};
    const Ast *first = g->decl->func.params.data[0];
    if (!infer_written(&f, targs) || !infer_argument(&f, first, arg)) return NULL;
    return infer_type(&f, first->param.ptype);
}

const Type *generic_parameter(Sema *s, const Symbol *g, const AstList *targs, int i, AstList args)
{
    Inference f = {.s = s, .generic = g};
    const AstList *params = &g->decl->func.params;
    const Ast *p = i < params->len ? params->data[i] : NULL;
    if (!p || p->kind != AST_PARAM || !infer_written(&f, targs)) return NULL;
    for (int k = 0; k < args.len && k < params->len && !targs; k++) {
        const Ast *other = params->data[k];
        if (k != i && other->kind == AST_PARAM && !infer_argument(&f, other, args.data[k]))
            return NULL;
    }
    return infer_type(&f, p->param.ptype);
}

/* ---- which says more ----------------------------------------------------------------------- */

/* 1: a says more (T[] than T), -1: b does, 0: neither, or each somewhere. */
static int says_more(const Inference *f, const Ast *a, const Inference *g, const Ast *b)
{
    const AstList *x = NULL, *y = NULL;
    if (is_param(f, a) || is_param(g, b)) return is_param(g, b) - is_param(f, a);
    if (a->kind != b->kind) return 0;
    if (a->kind == AST_TYPE_ARRAY) return says_more(f, a->type_array.elem, g, b->type_array.elem);
    if (a->kind == AST_TYPE_NAME) x = &a->type_name.args, y = &b->type_name.args;
    if (a->kind == AST_TYPE_FUNC) x = &a->type_func.params, y = &b->type_func.params;
    if (!x || x->len != y->len) return 0;
    int all =
        a->kind == AST_TYPE_FUNC ? says_more(f, a->type_func.result, g, b->type_func.result) : 0;
    for (int i = 0; i < x->len; i++) {
        int one = says_more(f, x->data[i], g, y->data[i]);
        if (one * all < 0) return 0;
        if (one) all = one;
    }
    return all;
}

bool generic_says_more(const Symbol *a, const Symbol *b)
{
    if (!a->instance || !b->instance || a->kind != SYM_FUNC || b->kind != SYM_FUNC) return false;
    const Inference f = {.generic = a->instance->of}, g = {.generic = b->instance->of};
    if (!f.generic->generic || !g.generic->generic) return false; /* members of generic classes */
    const AstList *x = &f.generic->decl->func.params, *y = &g.generic->decl->func.params;
    bool more = false;
    for (int i = 0; i < x->len && i < y->len; i++) {
        const Ast *p = x->data[i], *q = y->data[i];
        if (p->kind != AST_PARAM || q->kind != AST_PARAM) return false;
        int one = says_more(&f, p->param.ptype, &g, q->param.ptype);
        if (one < 0) return false;
        more = more || one > 0;
    }
    return more;
}

/* ---- the overloads that fit ----------------------------------------------------------------- */

static Symbol *infer(Sema *s, Symbol *g, Form form, const AstList *targs, AstList args, Loc loc)
{
    const AstList *params = &g->decl->func.params;
    Inference f = {.s = s, .generic = g};
    if (params->len != args.len && form == FORM_NONE) return NULL;
    if (!infer_written(&f, targs)) return NULL;
    for (int i = 0; i < args.len && !targs; i++) {
        bool rest = form == FORM_REST && i >= params->len - 1;
        const Ast *p = params->data[rest ? params->len - 1 : i];
        if (p->kind != AST_PARAM) return NULL;
        const Ast *written = p->param.ptype;
        if (rest ? written->kind == AST_TYPE_ARRAY &&
                       !infer_from(&f, written->type_array.elem, args.data[i]->type)
                 : !infer_argument(&f, p, args.data[i]))
            return NULL;
    }
    for (int i = 0; i < generic_nparams(g); i++)
        if (!f.found[i] || f.found[i] == s->voids) return NULL;
    return generic_instance(s, g, f.found, loc);
}

Candidates generic_candidates(Sema *s, Candidates set, AstList args, Loc loc)
{
    Candidates out = {.name = set.name, .receivers = set.receivers};
    const Symbol *left = NULL;
    bool broken = false;
    int errors = diags_errors(s->diags) + s->quiet_errors;
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
            out.data[out.len - 1].nearness = set.data[i].nearness;
            if (form != FORM_NONE) candidate_reshape(&out.data[out.len - 1], args.len);
        } else if (set.data[i].nparams == args.len || !left) {
            left = set.data[i].sym;
        }
    }
    if (diags_errors(s->diags) + s->quiet_errors > errors) return out; /* a constraint */
    if (set.targs && !out.len && !left) {
        report(s, loc, GENERIC, "'%s' is not generic and takes no type arguments", set.name);
        return out;
    }
    if (out.len || !left || broken) return out;
    if (set.targs && set.targs->len != generic_nparams(left)) {
        report(s, loc, GENERIC, "'%s' takes %d type argument%s, not %d", left->name,
               generic_nparams(left), generic_nparams(left) == 1 ? "" : "s", set.targs->len);
        return out;
    }
    for (int i = 0; set.targs && i < set.targs->len; i++)
        if (set.targs->data[i]->type == s->error) return out;
    int n = left->decl->func.params.len - set.receivers;
    if (n != args.len - set.receivers)
        report(s, loc, ARGUMENT_COUNT, "'%s' takes %d argument%s, not %d", left->name, n,
               n == 1 ? "" : "s", args.len - set.receivers);
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
