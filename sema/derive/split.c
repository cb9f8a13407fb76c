/* Derivatives by values of final classes and tuples that hold arrays: by their fields, which become parameters.
 *
 *     final class Layer(float[,] w, float[] b);
 *     Grad(loss(_, x))(layer)      { var $d = Grad((float[,] $l_w, float[] $l_b) => $split_loss($l_w, $l_b, x))(layer.w, layer.b);
 *                                    return new Layer($d.Item1, $d.Item2); }
 *
 * $split_loss is loss with a parameter for each field: what is read of the value is one of them, functions and methods
 * that get it are split in turn. Fields without reals are what they are. */
#include <string.h>

#include "host.h"

/* A value that is known by its fields. */
typedef struct Whole {
    const char *name;
    const Type *type;
} Whole;

typedef struct Split {
    Sema *s;
    VEC(Whole) wholes;
    const Class *self; /* in a method: of `this`, a whole named "this" */
    FreeNames own;     /* in a method: names that are not declared in it */
    bool good;
} Split;

static void rewrite(Ast **slot, void *ctx);

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

static void fail(Split *w, Loc loc, const char *what, const char *instead)
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

/* A field of a whole that is a value by itself: its name and type. False: n is none. */
static bool path_of(Split *w, const Ast *n, const char **name, const Type **t)
{
    Sema *s = w->s;
    if (n->kind == AST_THIS && w->self) {
        *name = intern_cstr(s->names, "this");
        *t = w->self->type;
        return true;
    }
    if (n->kind == AST_NAME_REF) {
        for (size_t i = w->wholes.len; i-- > 0;)
            if (w->wholes.data[i].name == n->name_ref.name) {
                *name = n->name_ref.name;
                *t = w->wholes.data[i].type;
                return true;
            }
        const Symbol *f = w->self && !is_declared(w, n->name_ref.name)
                              ? field_of(w, w->self, n->name_ref.name)
                              : NULL;
        if (!f) return false;
        *name = leaf_name(s, "this", f->name);
        *t = f->type;
        return true;
    }
    if (n->kind != AST_MEMBER || !path_of(w, n->member.base, name, t) || !split_is(*t))
        return false;
    const Symbol *f = field_of(w, class_of(*t), n->member.name);
    if (!f) return false;
    *name = leaf_name(s, *name, f->name);
    *t = f->type;
    return true;
}

static bool whole_of(Split *w, const Ast *n, const char **name, const Type **t)
{
    return path_of(w, n, name, t) && split_is(*t);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static const Symbol *split_function(Split *w, Symbol *f, Loc loc);

/* A call of f with its wholes as fields; base: the object of a method, NULL: there is none. */
static void split_call(Split *w, Ast **slot, Symbol *f, const char *self, const Type *of,
                       AstList args)
{
    Sema *s = w->s;
    Loc loc = (*slot)->loc;
    const char *name;
    const Type *t;
    Leaves leaves = {0};
    Ast *call = tree_call(s, loc, NULL, 0);
    const Symbol *made = split_function(w, f, loc);
    if (!made) return;
    if (self) split_leaves(s, self, of, NULL, loc, &leaves);
    for (int i = 0; i < args.len; i++) {
        for (size_t k = 0; k < leaves.len; k++)
            call->call.args =
                ast_list_add(s->arena, call->call.args, tree_name(s, loc, leaves.data[k].name));
        leaves.len = 0;
        if (whole_of(w, args.data[i], &name, &t)) {
            split_leaves(s, name, t, NULL, loc, &leaves);
            continue;
        }
        Ast *arg = args.data[i];
        rewrite(&arg, w);
        call->call.args = ast_list_add(s->arena, call->call.args, arg);
    }
    for (size_t k = 0; k < leaves.len; k++)
        call->call.args =
            ast_list_add(s->arena, call->call.args, tree_name(s, loc, leaves.data[k].name));
    vec_free(&leaves);
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
            const char *name;
            const Type *t;
            bool whole = whole_of(w, args.data[i], &name, &t);
            fits = whole ? f->type->params[i] == t : !split_is(f->type->params[i]);
        }
        if (fits) return f;
    }
    return NULL;
}

/* Is it a call or a property that gets a whole? Then it becomes one of the fields. */
static bool rewrite_call(Split *w, Ast **slot)
{
    Ast *n = *slot;
    const char *name;
    const Type *t;
    bool any = false;
    AstList args = n->kind == AST_CALL ? n->call.args : (AstList){0};
    const Ast *callee = n->kind == AST_CALL ? n->call.callee : n;
    Symbol *f = NULL;
    const bool field = path_of(w, callee, &name, &t);
    if (!field && callee->kind == AST_MEMBER && whole_of(w, callee->member.base, &name, &t)) {
        f = member_find(w->s, class_of(t), callee->member.name);
        if (f && f->kind == SYM_PROPERTY && n->kind == AST_MEMBER && f->get)
            f = f->get;
        else
            f = n->kind == AST_CALL && f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
        if (!f)
            fail(w, n->loc, "this of a value that holds arrays",
                 "write it with the value's fields");
        else
            split_call(w, slot, f, name, t, args);
        return true;
    }
    for (int i = 0; i < args.len; i++) any = any || whole_of(w, args.data[i], &name, &t);
    const bool named = n->kind == AST_CALL && callee->kind == AST_NAME_REF && !field;
    if (named && w->self && !is_declared(w, callee->name_ref.name)) {
        f = member_find(w->s, (Class *)(uintptr_t)w->self, callee->name_ref.name);
        f = f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
        if (f) {
            split_call(w, slot, f, f->self ? intern_cstr(w->s->names, "this") : NULL, w->self->type,
                       args);
            return true;
        }
    }
    if (!any) return false;
    f = named ? scope_user(w->s, callee->name_ref.name) : NULL;
    f = f && f->kind == SYM_FUNC ? overload(w, f, args) : NULL;
    if (!f)
        fail(w, n->loc, "this call with a value that holds arrays",
             "give the value to a function of the program");
    else
        split_call(w, slot, f, NULL, NULL, args);
    return true;
}

static void rewrite(Ast **slot, void *ctx)
{
    Split *w = ctx;
    const char *name;
    const Type *t;
    if (!*slot || !w->good) return;
    if (path_of(w, *slot, &name, &t)) {
        if (split_is(t))
            fail(w, (*slot)->loc, "a value that holds arrays, as a whole", "read its fields");
        else
            *slot = tree_name(w->s, (*slot)->loc, name);
        return;
    }
    if (((*slot)->kind == AST_CALL || (*slot)->kind == AST_MEMBER) && rewrite_call(w, slot)) return;
    ast_each_child(*slot, rewrite, w);
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
    const Symbol *known = derived_split(s, f);
    if (known) return known;
    Ast *body = f->as_written ? f->as_written : f->decl->func.body;
    if (!body || split_is(f->type->result) || f->local) {
        fail(w, loc, arena_printf(s->arena, "'%s', which gets a value that holds arrays", f->name),
             f->local ? "declare it outside" : "return its fields");
        return NULL;
    }
    Split inner = {.s = s, .self = f->self ? f->cls : NULL, .good = true};
    AstList params = {0};
    Symbol *made = arena_copy(s->arena, f, sizeof *f);
    made->name = code_fresh(s, arena_printf(s->arena, "split_%s", f->name));
    made->self = made->next = NULL;
    made->as_written = NULL;
    made->implied = made->associative = made->commutative = false;
    made->identity = NULL;
    made->slot = -1;
    made->used = false;
    made->fdag = made->host = NULL;
    made->type = NULL;
    made->impure = NULL;
    derived_add_split(s, f, made);
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
    Ast around = {.kind = AST_FUNC, .func = {.params = f->decl->func.params, .body = body}};
    if (inner.self) free_names(s, &around, &inner.own);
    Context saved = context_enter(s, f);
    rewrite(&body, &inner);
    context_leave(s, &saved);
    vec_free(&inner.wholes);
    vec_free(&inner.own);
    w->good = w->good && inner.good;
    if (!inner.good) return NULL;
    Ast *ret = type_node(s, loc, f->type->result);
    made->mods |= AST_MOD_STATIC;
    made->decl = tree_func(s, f->decl->loc, f->decl->func.mods | AST_MOD_STATIC, ret, made->name,
                           params, body);
    made->decl->sym = made;
    saved = context_enter(s, made);
    decl_func(s, made, made);
    context_leave(s, &saved);
    return made;
}

/* ---- Grad and its like -------------------------------------------------------------------------------- */

/* A value of type t of the derivatives by its fields: number *at on of `n` that `all` has. */
static Ast *assembled(Sema *s, Loc loc, const Type *t, const Ast *all, int n, int *at)
{
    const Class *c = class_of(t);
    AstList items = {0};
    Ast *made = ast_new(s->arena, AST_NEW, loc);
    if (!split_is(t)) {
        if (!kind_is_real(t)) {
            Ast *none = ast_new(s->arena, AST_DEFAULT, loc);
            none->default_.target = type_node(s, loc, t);
            return none;
        }
        Ast *part = ast_clone(s->arena, all);
        if (n == 1) return part;
        return tree_member(s, loc, part, arena_printf(s->arena, "Item%d", ++*at));
    }
    for (int i = 0; i < c->nfields; i++)
        items = ast_list_add(s->arena, items, assembled(s, loc, c->fields[i]->type, all, n, at));
    made->new_.ntype = type_node(s, loc, t);
    made->new_.args = items;
    return c->tuple ? tree_tuple(s, loc, items) : made;
}

/* The leaves of parameter i, whose value is the block's parameter of this name. */
static Leaves leaves_of(Sema *s, Loc loc, const char *name, const char *value, const Type *t)
{
    Leaves leaves = {0};
    if (split_is(t))
        split_leaves(s, name, t, tree_name(s, loc, value), loc, &leaves);
    else
        vec_push(&leaves, ((Leaf){name, t, tree_name(s, loc, value)}));
    return leaves;
}

Ast *split_derivative(Sema *s, const char *grad, Ast *lambda, const Type *const *types, int n,
                      const Type *result, HostWay way, AstList args)
{
    Split w = {.s = s, .good = true};
    Loc loc = lambda->loc;
    AstList params = {0}, stmts = {0}, direct = {0}, along = {0}, parts = {0};
    Ast *call = tree_call(s, loc, NULL, 0), *open = ast_new(s->arena, AST_LAMBDA, loc);
    int at = 0, count = 0;
    for (int i = 0; i < args.len; i++) { /* of the block: the arguments, evaluated once */
        const Type *t = i < n ? types[i] : way == HOST_ALONG ? types[i - n] : result;
        params =
            ast_list_add(s->arena, params,
                         tree_param(s, loc, type_node(s, loc, t),
                                    intern_cstr(s->names, arena_printf(s->arena, "$of%d", i))));
        params.data[i]->type = t;
    }
    for (int b = 0, i = 0; b < lambda->lambda.binders.len; b++) {
        const Ast *binder = lambda->lambda.binders.data[b];
        for (int k = 0; k < binder->binder.names.len; k++, i++) {
            const char *name = binder->binder.names.data[k]->name_ref.name;
            Leaves leaves = leaves_of(s, loc, name, params.data[i]->param.name, types[i]);
            Leaves changes = {0};
            if (way == HOST_ALONG)
                changes = leaves_of(s, loc, name, params.data[n + i]->param.name, types[i]);
            if (split_is(types[i])) vec_push(&w.wholes, ((Whole){name, types[i]}));
            for (size_t l = 0; l < leaves.len; l++) {
                const Leaf *leaf = &leaves.data[l];
                if (!kind_is_real(leaf->type)) { /* a constant */
                    code_local(s, &stmts, loc, leaf->type, leaf->name, leaf->value);
                    continue;
                }
                open->lambda.binders = ast_list_add(s->arena, open->lambda.binders,
                                                    tree_binder(s, loc, leaf->type, leaf->name));
                direct = ast_list_add(s->arena, direct, leaf->value);
                if (way == HOST_ALONG) along = ast_list_add(s->arena, along, changes.data[l].value);
                count++;
            }
            vec_free(&leaves);
            vec_free(&changes);
        }
    }
    open->lambda.wide = true;
    open->lambda.body = lambda->lambda.body;
    rewrite(&open->lambda.body, &w);
    vec_free(&w.wholes);
    if (!w.good) return NULL;
    call->call.callee = tree_call(s, loc, tree_name(s, loc, grad), 1, open);
    for (int i = 0; i < along.len; i++) direct = ast_list_add(s->arena, direct, along.data[i]);
    if (way == HOST_BACK_SEED)
        direct = ast_list_add(s->arena, direct, tree_name(s, loc, params.data[n]->param.name));
    call->call.args = direct;
    const char *all = code_fresh(s, "all");
    code_local(s, &stmts, loc, NULL, all, call);
    Ast *whole = tree_name(s, loc, all), *value = whole;
    const Type *given[MAX_PARAMS];
    for (int i = 0; i < n; i++) given[i] = types[i];
    Ast *type = code_tuple_type(s, loc, n, given);
    if (way == HOST_BACK_VALUE) whole = tree_member(s, loc, whole, "Item2");
    for (int i = 0; i < n; i++)
        parts = ast_list_add(s->arena, parts, assembled(s, loc, types[i], whole, count, &at));
    if (way != HOST_ALONG) value = tree_tuple(s, loc, parts);
    if (way == HOST_BACK_VALUE || way == HOST_ALONG) {
        Ast *both = ast_new(s->arena, AST_TYPE_TUPLE, loc), *first = type_node(s, loc, result);
        code_add_item(s, both, first);
        code_add_item(s, both, way == HOST_ALONG ? type_node(s, loc, result) : type);
        AstList two = {0};
        two = ast_list_add(s->arena, two, tree_member(s, loc, tree_name(s, loc, all), "Item1"));
        two = ast_list_add(s->arena, two, value);
        if (way == HOST_BACK_VALUE) value = tree_tuple(s, loc, two);
        type = both;
    }
    stmts = ast_list_add(s->arena, stmts, tree_return(s, value));
    const Type *t = decl_type(s, type);
    class_settle(s);
    return local_block(s, "split", code_block(s, loc, stmts), params, args, t);
}
