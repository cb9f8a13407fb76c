/* Calls with fewer or more arguments than parameters: constants stand for what is left out, and the
 * last parameter may take any number as an array. For a call of n arguments such an overload is one
 * of n parameters; what is missing is added once it is chosen.
 */
#include <string.h>

#include "../check/check.h"

static const AstList *params_of(const Symbol *f)
{
    static const AstList none = {0};
    return f->kind == SYM_FUNC && f->decl && f->decl->kind == AST_FUNC ? &f->decl->func.params
                                                                       : &none;
}

static const struct Ast_param *param(const Symbol *f, int i)
{
    static const struct Ast_param none = {0};
    const Ast *p = params_of(f)->data[i];
    return p->kind == AST_PARAM ? &p->param : &none;
}

bool takes_rest(const Symbol *f)
{
    int n = params_of(f)->len;
    return n > 0 && param(f, n - 1)->rest;
}

int required_arguments(const Symbol *f)
{
    int n = params_of(f)->len;
    n -= takes_rest(f);
    while (n > 0 && param(f, n - 1)->init) n--;
    return n;
}

Form call_form(const Symbol *f, int nargs)
{
    int n = params_of(f)->len;
    if (nargs < required_arguments(f) || nargs > MAX_PARAMS) return FORM_NONE;
    if (takes_rest(f)) return FORM_REST;
    return nargs < n ? FORM_DEFAULTS : FORM_NONE;
}

/* The overload as one of nargs parameters. */
static void reshape(Candidate *c, Form form, int nargs)
{
    int last = params_of(c->sym)->len - 1;
    const Type *rest = form == FORM_REST ? c->params[last] : NULL;
    c->form = form;
    c->nparams = nargs;
    for (int i = last; rest && i < nargs; i++)
        c->params[i] = type_is_functional(rest) ? rest->result : rest;
}

void candidate_reshape(Candidate *c, int nargs)
{
    Form form = call_form(c->sym, nargs);
    if (form != FORM_NONE) reshape(c, form, nargs);
}

Candidates candidates_for(Sema *s, Candidates set, int nargs)
{
    Candidates all = {.name = set.name, .receivers = set.receivers};
    all.data = arena_array(s->arena, Candidate, 2 * set.len + 1);
    for (int i = 0; i < set.len; i++) {
        all.data[all.len++] = set.data[i];
        Form form = call_form(set.data[i].sym, nargs);
        if (form == FORM_NONE) continue;
        Candidate *c = &all.data[all.len++];
        *c = set.data[i];
        if (c->sym->generic)
            c->form = form, c->nparams = nargs;
        else
            reshape(c, form, nargs);
    }
    return all;
}

/* ---- what is left out ----------------------------------------------------------------------- */

/* The value of a parameter's default, checked where the function is declared. */
static Ast *default_value(Sema *s, const Symbol *f, int i, Loc loc)
{
    Ast *value = ast_clone(s->arena, param(f, i)->init);
    const Type *t = f->type->params[i];
    Context saved = context_enter(s, f);
    int errors = s->quiet_errors;
    s->quiet = 1; /* its mistakes are told where it is declared */
    check_converted(s, &value, t, NULL);
    s->quiet_errors = errors;
    context_leave(s, &saved);
    value->loc = loc;
    type_use(s, value->type);
    return value;
}

Ast *default_argument(Sema *s, const Symbol *f, int i, Loc loc)
{
    if (!f->type || local_captured(f)) return ast_clone(s->arena, param(f, i)->init);
    Ast *value = default_value(s, f, i, loc);
    if (value->kind != AST_CONVERT) convert_wrap(s, &value, f->type->params[i]);
    return value;
}

static Ast *rest_array(Sema *s, AstList args, int from, const Type *t, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_NEW_ARRAY, loc), *list = ast_new(s->arena, AST_INIT_LIST, loc);
    for (int i = from; i < args.len; i++)
        list->init_list.items = ast_list_add(s->arena, list->init_list.items, args.data[i]);
    list->type = n->type = t;
    n->new_array.elem = type_node(s, loc, t->result);
    n->new_array.rank = 1;
    n->new_array.init = list;
    if (s->functional)
        report(s, loc, NOT_SUPPORTED,
               "a new array inside a functional expression is not supported yet");
    return n;
}

/* `paramName` of the library's ThrowIfNull and its like is what is written for the first argument. */
static Ast *left_out(Sema *s, const Symbol *f, const AstList *args, int i, Loc loc)
{
    if (!f->library || !f->cls || !args->len || strcmp(param(f, i)->name, "paramName") != 0)
        return default_value(s, f, i, loc);
    Loc at = args->data[0]->loc;
    const Source *src = sources_get(s->sources, at.file);
    Ast *text = ast_new(s->arena, AST_STRING_LIT, loc);
    text->string_lit.value = (AstBytes){src->text + at.begin, at.end - at.begin};
    text->type = s->string;
    return text;
}

void complete_arguments(Sema *s, const Candidate *c, AstList *args, Loc loc)
{
    int n = params_of(c->sym)->len;
    const Type *rest = c->form == FORM_REST ? c->sym->type->params[n - 1] : NULL;
    AstList all = {0};
    if (c->form == FORM_NONE || (rest && rest->kind != TY_ARRAY)) return;
    for (int i = 0; i < n - (rest != NULL); i++)
        all = ast_list_add(s->arena, all,
                           i < args->len ? args->data[i] : left_out(s, c->sym, args, i, loc));
    if (rest) all = ast_list_add(s->arena, all, rest_array(s, *args, n - 1, rest, loc));
    *args = all;
}

/* ---- declarations --------------------------------------------------------------------------- */

/* What others than calls read of it (sema.h). */
static void keep_constant(Sema *s, Ast *param, const Ast *constant, const Type *t)
{
    AstBytes text;
    if (constant->is_const && constant->type->kind == TY_SCALAR && t->kind == TY_SCALAR) {
        param->is_const = true;
        param->value = scalar_convert(constant->value, constant->type->scalar, t->scalar);
    } else if (constant_text(s, constant, &text)) {
        AstKind kind = text.data ? AST_STRING_LIT : AST_NULL_LIT;
        Ast *literal = ast_new(s->arena, kind, param->param.init->loc);
        if (text.data) literal->string_lit.value = text;
        param->param.init = literal;
    }
}

static void check_constant(Sema *s, const Symbol *f, int i)
{
    const struct Ast_param *p = param(f, i);
    Ast *value = ast_clone(s->arena, p->init);
    AstBytes text;
    if (p->mode != AST_OP_BY_VALUE && p->mode != AST_OP_NONE) {
        report(s, p->init->loc, PARAMETER, "a parameter passed by reference has no default value");
        return;
    }
    if (check_converted(s, &value, f->type->params[i], NULL) == s->error) return;
    Ast *inner = value;
    while (inner->kind == AST_CONVERT) inner = inner->convert.operand;
    bool constant = value->is_const || inner->is_const || inner->kind == AST_NULL_LIT ||
                    inner->kind == AST_DEFAULT || constant_text(s, inner, &text) ||
                    constant_decimal(inner);
    if (!constant && value->type != s->error)
        report(s, p->init->loc, PARAMETER, "the default value of '%s' is not a constant", p->name);
    else if (constant)
        keep_constant(s, params_of(f)->data[i], value->is_const ? value : inner,
                      f->type->params[i]);
}

void check_defaults(Sema *s, const Symbol *f)
{
    const AstList *params = params_of(f);
    bool optional = false;
    for (int i = 0; i < params->len && i < f->type->nparams; i++) {
        const struct Ast_param *p = param(f, i);
        bool last = i + 1 == params->len - local_captured(f);
        if (p->init) check_constant(s, f, i);
        if (optional && !p->init && !p->rest && i < params->len - local_captured(f))
            report(s, params->data[i]->loc, PARAMETER,
                   "'%s' has no default value, but stands behind a parameter that has one",
                   p->name);
        optional = optional || p->init;
        if (p->rest &&
            (!last || f->type->params[i]->kind != TY_ARRAY || f->type->params[i]->nparams != 1) &&
            f->type->params[i] != s->error)
            report(s, params->data[i]->loc, PARAMETER,
                   "params stands before the last parameter, an array of one dimension");
    }
}
