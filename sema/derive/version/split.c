/* Derivatives by values of final classes and tuples that hold arrays: by their fields, which become parameters.
 *
 *     final class Layer(float[,] w, float[] b);
 *     Grad(loss(_, x))(layer)      { var $d = Grad((float[,] $l_w, float[] $l_b) => $split_loss($l_w, $l_b, x))(layer.w, layer.b);
 *                                    return new Layer($d.Item1, $d.Item2); }
 *
 * $split_loss is loss with a parameter for each field: what is read of the value is one of them, functions and methods
 * that get it are split in turn. Fields without reals are what they are. */
#include <string.h>

#include "split.h"

bool split_is(const Type *t)
{
    const Class *c = t && t->kind == TY_OBJECT ? class_of(t) : NULL;
    if (!c || !class_is_final_value(c)) return false;
    bool free = c->tuple || class_is_struct(c), any = false;
    for (const Symbol *f = c->ctors; f && !free; f = f->next) free = f->is_plain;
    for (int i = 0; free && i < c->nfields; i++)
        any = any || kind_is_real(c->fields[i]->type) || split_is(c->fields[i]->type);
    return free && any;
}

static const char *leaf_name(Sema *s, const char *whole, const char *field)
{
    const char *text = whole[0] == '$' ? whole + 1 : whole;
    return intern_cstr(s->names, arena_printf(s->arena, "$%s$%s", text, field));
}

void split_leaves(Sema *s, const char *name, const Type *t, const Ast *value, Loc loc, Leaves *out)
{
    const Class *c = class_of(t);
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *f = c->fields[i];
        Leaf leaf = {leaf_name(s, name, f->name), f->type,
                     value ? tree_member(s, loc, ast_clone(s->arena, value), f->name) : NULL};
        if (split_is(f->type))
            split_leaves(s, leaf.name, f->type, leaf.value, loc, out);
        else
            vec_push(out, leaf);
    }
}

Ast *split_whole(Sema *s, Loc loc, const Type *t, AstList fields, int *at, bool tuple)
{
    const Class *c = class_of(t);
    AstList items = {0};
    if (!split_is(t)) return fields.data[(*at)++];
    for (int i = 0; i < c->nfields; i++)
        items = ast_list_add(s->arena, items,
                             split_whole(s, loc, c->fields[i]->type, fields, at, tuple));
    if (tuple || c->tuple) return tree_tuple(s, loc, items);
    Ast *made = ast_new(s->arena, AST_NEW, loc);
    made->new_.ntype = type_node(s, loc, t);
    made->new_.args = items;
    return made;
}

void split_fail(Split *w, Loc loc, const char *what, const char *instead)
{
    if (!w->good) return;
    w->good = false;
    report(w->s, loc, NOT_SUPPORTED, "there is no derivative yet of %s", what);
    report_note(w->s, NOWHERE, "%s", instead);
}

/* ---- what a tree means --------------------------------------------------------------------------- */

static bool is_declared(const Split *w, const char *name)
{
    for (size_t i = 0; i < w->own.len; i++)
        if (w->own.data[i].name == name) return false;
    return true;
}

static const Symbol *field_of(Split *w, const Class *c, const char *name)
{
    const Symbol *m = member_find(w->s, (Class *)(uintptr_t)c, name);
    for (int i = 0; m && i < c->nfields; i++)
        if (c->fields[i] == m) return m;
    return NULL;
}

static bool is_variable(const Symbol *sym)
{
    return sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM) && sym->type &&
           split_is(sym->type);
}

bool split_path(Split *w, const Ast *n, Path *path)
{
    Sema *s = w->s;
    if (n->kind == AST_THIS && w->self) {
        *path = (Path){intern_cstr(s->names, "this"), w->self->type, NULL};
        return true;
    }
    if (n->kind == AST_NAME_REF) {
        for (size_t i = w->wholes.len; i-- > 0;)
            if (w->wholes.data[i].name == n->name_ref.name) {
                *path = (Path){n->name_ref.name, w->wholes.data[i].type, NULL};
                return true;
            }
        const bool outside = w->self && !is_declared(w, n->name_ref.name);
        const Symbol *f = outside ? field_of(w, w->self, n->name_ref.name) : NULL;
        if (f) {
            *path = (Path){leaf_name(s, "this", f->name), f->type, NULL};
            return true;
        }
        const Symbol *sym =
            is_declared(w, n->name_ref.name) ? NULL : scope_user(s, n->name_ref.name);
        if (!is_variable(sym)) return false;
        *path = (Path){NULL, sym->type, ast_clone(s->arena, n)};
        return true;
    }
    if (n->kind != AST_MEMBER || !split_path(w, n->member.base, path) || !split_is(path->type))
        return false;
    const Symbol *f = field_of(w, class_of(path->type), n->member.name);
    if (!f) return false;
    if (path->name)
        path->name = leaf_name(s, path->name, f->name);
    else
        path->value = tree_member(s, n->loc, path->value, f->name);
    path->type = f->type;
    return true;
}

AstList split_values(Split *w, Loc loc, const Path *path)
{
    Leaves leaves = {0};
    AstList out = {0};
    Sema *s = w->s;
    split_leaves(s, path->name ? path->name : "", path->type, path->value, loc, &leaves);
    for (size_t i = 0; i < leaves.len; i++) {
        const Leaf *leaf = &leaves.data[i];
        out = ast_list_add(s->arena, out, path->name ? tree_name(s, loc, leaf->name) : leaf->value);
    }
    vec_free(&leaves);
    return out;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static const Symbol *split_function(Split *w, Symbol *f, Loc loc);
static bool takes_wholes(const Symbol *f);

bool split_wanted(const Facts *facts, bool results)
{
    for (size_t i = 0; facts->good && i < facts->list.len; i++) {
        const Fact *fact = &facts->list.data[i];
        const Symbol *f = fact->called;
        if (fact->kind == FACT_DECLARED && split_is(fact->type)) return true;
        if (results && fact->kind == FACT_CALL && split_is(fact->type)) return true;
        if (f && (takes_wholes(f) || (f->self && split_is(f->cls->type)))) return true;
    }
    return false;
}

Symbol *split_version(Sema *s, Symbol *f, Loc loc)
{
    Split w = {.s = s, .good = true};
    const Symbol *made = split_function(&w, f, loc);
    return w.good ? (Symbol *)(uintptr_t)made : NULL;
}

/* Does it read a variable that is bound around it? */
static void find_under(Ast **child, void *ctx)
{
    const Ast *n = *child;
    Split *w = ((void **)ctx)[0];
    bool *found = ((void **)ctx)[1];
    if (n->kind == AST_NAME_REF) {
        const char *name = n->name_ref.name;
        bool whole = false;
        for (size_t i = 0; i < w->wholes.len; i++) whole = whole || w->wholes.data[i].name == name;
        for (size_t i = 0; i < w->bound.len; i++) *found = *found || w->bound.data[i] == name;
        if (!whole && name[0] != '$' && !is_declared(w, name))
            *found = *found || !scope_lookup(w->s, name);
    }
    ast_each_child(*child, find_under, ctx);
}

static bool is_under(Split *w, Ast *n)
{
    bool found = false;
    void *ctx[] = {w, &found};
    find_under(&n, ctx);
    return found;
}

/* The fields of an argument; one that has to be computed first gets a name. */
static AstList fields_of(Split *w, Ast *value, const Type *t)
{
    Sema *s = w->s;
    AstList *before = w->before;
    if (wholes_known(w, value, t)) return wholes_parts(w, value, t);
    if (!before || is_under(w, value)) {
        split_fail(w, value->loc, "this value that holds arrays",
                   "give it a name in a statement before");
        return (AstList){0};
    }
    Path path = {code_fresh(s, "whole"), t, NULL};
    wholes_set(w, value->loc, path.name, t, value, true, before);
    return split_values(w, value->loc, &path);
}

/* A call of f with its wholes as fields; self: those of the object of a method. */
static void split_call(Split *w, Ast **slot, Symbol *f, AstList self, AstList args)
{
    Sema *s = w->s;
    Loc loc = (*slot)->loc;
    Ast *call = tree_call(s, loc, NULL, 0);
    const Symbol *made = split_function(w, f, loc);
    if (!made) return;
    call->call.args = self;
    for (int i = 0; i < args.len && w->good; i++) {
        Ast *arg = args.data[i];
        AstList fields = {&arg, 1};
        if (split_is(f->type->params[i]))
            fields = fields_of(w, arg, f->type->params[i]);
        else
            split_rewrite(&arg, w);
        for (int k = 0; k < fields.len; k++)
            call->call.args = ast_list_add(s->arena, call->call.args, fields.data[k]);
    }
    call->call.callee = tree_name(s, loc, made->name);
    *slot = call;
}

/* The overload that takes wholes where these arguments have them. */
static Symbol *overload(Split *w, Symbol *f, AstList args)
{
    for (; f; f = f->next) {
        bool fits = f->kind == SYM_FUNC && f->type && f->type->nparams == args.len && f->decl &&
                    f->decl->kind == AST_FUNC && !f->generic;
        for (int i = 0; fits && i < args.len; i++) {
            Path path;
            const Type *t = f->type->params[i];
            if (split_path(w, args.data[i], &path))
                fits = split_is(path.type) ? wholes_alike(t, path.type) : !split_is(t);
            else if (split_is(t))
                fits = args.data[i]->kind == AST_CALL || args.data[i]->kind == AST_COND ||
                       wholes_known(w, args.data[i], t);
        }
        if (fits) return f;
    }
    return NULL;
}

static bool takes_wholes(const Symbol *f)
{
    bool any = false;
    for (int i = 0; f && i < f->type->nparams; i++) any = any || split_is(f->type->params[i]);
    return any;
}

/* The object of a method or property, as its fields: a whole, or one that is made there. */
static bool object_of(Split *w, Ast *n, const Type **t, AstList *fields)
{
    Path path;
    if (split_path(w, n, &path)) {
        if (!split_is(path.type)) return false;
        *t = path.type;
        *fields = split_values(w, n->loc, &path);
        return true;
    }
    if (n->kind != AST_NEW || !n->new_.ntype || n->new_.ntype->kind == AST_TYPE_VAR) return false;
    *t = decl_type(w->s, ast_clone(w->s->arena, n->new_.ntype));
    if (!split_is(*t) || !wholes_known(w, n, *t)) return false;
    *fields = wholes_parts(w, n, *t);
    return true;
}

/* A member of what a call gives, where that holds arrays: it gets a name first. */
static void name_result(Split *w, Ast *member)
{
    Ast *call = member->member.base;
    if (call->kind != AST_CALL || call->call.callee->kind != AST_NAME_REF) return;
    const Symbol *f = scope_user(w->s, call->call.callee->name_ref.name);
    while (f && (f->kind != SYM_FUNC || !f->type || f->type->nparams != call->call.args.len))
        f = f->next;
    if (!f || !split_is(f->type->result)) return;
    if (!w->before || is_under(w, call)) {
        split_fail(w, call->loc, "this value that holds arrays",
                   "give it a name in a statement before");
        return;
    }
    const char *name = code_fresh(w->s, "whole");
    wholes_set(w, call->loc, name, f->type->result, call, true, w->before);
    member->member.base = tree_name(w->s, call->loc, name);
}

/* Is it a call or a property that gets a whole? Then it becomes one of the fields. */
static bool rewrite_call(Split *w, Ast **slot)
{
    Ast *n = *slot;
    Path path;
    const Type *t;
    AstList args = n->kind == AST_CALL ? n->call.args : (AstList){0}, fields;
    Ast *callee = n->kind == AST_CALL ? n->call.callee : n;
    Symbol *f = NULL;
    const bool field = split_path(w, callee, &path);
    if (!field && callee->kind == AST_MEMBER && object_of(w, callee->member.base, &t, &fields)) {
        f = member_find(w->s, class_of(t), callee->member.name);
        if (f && f->kind == SYM_PROPERTY && n->kind == AST_MEMBER && f->get)
            f = f->get;
        else
            f = n->kind == AST_CALL && f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
        if (!f)
            split_fail(w, n->loc, "this of a value that holds arrays",
                       "write it with the value's fields");
        else
            split_call(w, slot, f, fields, args);
        return true;
    }
    const bool named = n->kind == AST_CALL && callee->kind == AST_NAME_REF && !field;
    if (named && w->self && !is_declared(w, callee->name_ref.name)) {
        f = member_find(w->s, (Class *)(uintptr_t)w->self, callee->name_ref.name);
        f = f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
        if (f) {
            Path self = {intern_cstr(w->s->names, "this"), w->self->type, NULL};
            split_call(w, slot, f, f->self ? split_values(w, n->loc, &self) : (AstList){0}, args);
            return true;
        }
    }
    bool any = false;
    for (int i = 0; i < args.len; i++)
        any = any || (split_path(w, args.data[i], &path) && split_is(path.type));
    f = named ? scope_user(w->s, callee->name_ref.name) : NULL;
    f = f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
    if (!any && !takes_wholes(f)) return false;
    if (!f)
        split_fail(w, n->loc, "this call with a value that holds arrays",
                   "give the value to a function of the program");
    else
        split_call(w, slot, f, (AstList){0}, args);
    return true;
}

void split_rewrite(Ast **slot, void *ctx)
{
    Split *w = ctx;
    Path path;
    if (!*slot || !w->good || wholes_statement(w, slot)) return;
    if ((*slot)->kind == AST_MEMBER) name_result(w, *slot);
    if (split_path(w, *slot, &path)) {
        if (!path.name) return; /* a constant */
        if (split_is(path.type))
            split_fail(w, (*slot)->loc, "a value that holds arrays, as a whole", "read its fields");
        else
            *slot = tree_name(w->s, (*slot)->loc, path.name);
        return;
    }
    if (((*slot)->kind == AST_CALL || (*slot)->kind == AST_MEMBER) && rewrite_call(w, slot)) return;
    ast_each_child(*slot, split_rewrite, w);
}

/* Names of binders, but of variables that an assignment to several declares. */
static void find_bound(Ast **child, void *ctx)
{
    const Ast *n = *child;
    Split *w = ctx;
    if (n->kind == AST_BINDER && (n->binder.constraint || !n->binder.vtype))
        for (int i = 0; i < n->binder.names.len; i++)
            vec_push(&w->bound, n->binder.names.data[i]->name_ref.name);
    ast_each_child(*child, find_bound, ctx);
}

/* ---- functions --------------------------------------------------------------------------------------- */

static AstList leaf_params(Sema *s, AstList params, const char *name, const Type *t, Loc loc)
{
    Leaves leaves = {0};
    split_leaves(s, name, t, NULL, loc, &leaves);
    for (size_t i = 0; i < leaves.len; i++)
        params = ast_list_add(
            s->arena, params,
            tree_param(s, loc, type_node(s, loc, leaves.data[i].type), leaves.data[i].name));
    vec_free(&leaves);
    return params;
}

static const Symbol *split_function(Split *w, Symbol *f, Loc loc)
{
    Sema *s = w->s;
    const Symbol *known = derived_version(s, VERSION_SPLIT, f);
    if (known) return known;
    Ast *body = f->as_written ? f->as_written : f->decl->func.body;
    if (!body || f->local) {
        split_fail(w, loc,
                   arena_printf(s->arena, "'%s', which gets a value that holds arrays", f->name),
                   "declare it outside");
        return NULL;
    }
    const bool whole = f->self && split_is(f->cls->type); /* other objects are constants */
    Split inner = {
        .s = s, .self = whole ? f->cls : NULL, .facts = facts_of_function(s, f), .good = true};
    AstList params = {0};
    Symbol *made = derived_copy(s, f, "split");
    if (whole) made->self = NULL;
    derived_add_version(s, VERSION_SPLIT, f, made);
    made->split = true;
    if (f->name[0] != '$') pure_need(s, f, loc, "is differentiated");
    if (inner.self)
        params = leaf_params(s, params, intern_cstr(s->names, "this"), inner.self->type, loc);
    for (int i = 0; i < f->type->nparams; i++) {
        const Ast *p = f->decl->func.params.data[i];
        const Type *t = f->type->params[i];
        if (split_is(t)) {
            vec_push(&inner.wholes, ((Whole){p->param.name, t}));
            params = leaf_params(s, params, p->param.name, t, p->loc);
        } else {
            params = ast_list_add(s->arena, params,
                                  tree_param(s, p->loc, type_node(s, p->loc, t), p->param.name));
        }
    }
    body = ast_clone(s->arena, body);
    lift_expand(s, f, &body);
    Ast around = {.kind = AST_FUNC, .func = {.params = f->decl->func.params, .body = body}};
    free_names(s, &around, &inner.own);
    find_bound(&body, &inner);
    Context saved = context_enter(s, f);
    split_rewrite(&body, &inner);
    context_leave(s, &saved);
    vec_free(&inner.wholes);
    vec_free(&inner.own);
    vec_free(&inner.bound);
    w->good = w->good && inner.good;
    if (!inner.good) {
        derived_drop_version(s, VERSION_SPLIT, f);
        return NULL;
    }
    Ast *ret = type_node(s, loc, f->type->result);
    made->mods &= ~(uint64_t)(AST_MOD_VIRTUAL | AST_MOD_OVERRIDE);
    if (!made->self) made->mods |= AST_MOD_STATIC;
    return derived_settle(s, made,
                          tree_func(s, f->decl->loc, made->mods, ret, made->name, params, body));
}
