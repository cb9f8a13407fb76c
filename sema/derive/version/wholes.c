/* Variables whose values hold arrays, as one variable for each field.
 *
 *     State s = new State(a, b);               double[] $s$h = a, $s$c = b;
 *     s = cell(s, x);                          ($s$h, $s$c) = $split_cell($s$h, $s$c, x);
 *     if (..) s = t;                           if (..) ($s$h, $s$c) = ($t$h, $t$c);
 *     return s;                                return new State($s$h, $s$c);
 */
#include "split.h"

/* ---- values ------------------------------------------------------------------------------------ */

/* The expressions of a value's fields, where it is made on the spot. */
static bool fields_of(const Ast *value, const Type *t, AstList *out)
{
    if (value->kind == AST_TUPLE)
        *out = value->tuple.items;
    else if (value->kind == AST_NEW && !value->new_.init)
        *out = value->new_.args;
    else
        return false;
    return out->len == class_of(t)->nfields;
}

/* Tuples differ by the names of their elements, too. */
bool wholes_alike(const Type *a, const Type *b)
{
    if (a == b) return true;
    const Class *x = split_is(a) ? class_of(a) : NULL, *y = split_is(b) ? class_of(b) : NULL;
    bool alike = x && y && x->tuple && y->tuple && x->nfields == y->nfields;
    for (int i = 0; alike && i < x->nfields; i++)
        alike = wholes_alike(x->fields[i]->type, y->fields[i]->type);
    return alike;
}

bool wholes_known(Split *w, const Ast *value, const Type *t)
{
    Path path;
    AstList items;
    if (value->kind == AST_DEFAULT) return true;
    if (split_path(w, value, &path)) return wholes_alike(path.type, t);
    if (!fields_of(value, t, &items)) return false;
    const Class *c = class_of(t);
    for (int i = 0; i < items.len; i++)
        if (split_is(c->fields[i]->type) &&
            !wholes_known(w, tuple_value(items.data[i]), c->fields[i]->type))
            return false;
    return true;
}

AstList wholes_parts(Split *w, Ast *value, const Type *t)
{
    Sema *s = w->s;
    Path path;
    AstList items, out = {0};
    Leaves leaves = {0};
    const Class *c = class_of(t);
    if (value->kind == AST_DEFAULT) {
        split_leaves(s, "", t, NULL, value->loc, &leaves);
        for (size_t i = 0; i < leaves.len; i++) {
            Ast *none = ast_new(s->arena, AST_DEFAULT, value->loc);
            none->default_.target = type_node(s, value->loc, leaves.data[i].type);
            out = ast_list_add(s->arena, out, none);
        }
        vec_free(&leaves);
    } else if (split_path(w, value, &path)) {
        out = split_values(w, value->loc, &path);
    } else if (fields_of(value, t, &items)) {
        for (int i = 0; i < items.len; i++) {
            Ast *item = tuple_value(items.data[i]);
            if (!split_is(c->fields[i]->type)) {
                split_rewrite(&item, w);
                out = ast_list_add(s->arena, out, item);
                continue;
            }
            AstList inner = wholes_parts(w, item, c->fields[i]->type);
            for (int k = 0; k < inner.len; k++) out = ast_list_add(s->arena, out, inner.data[k]);
        }
    }
    return out;
}

/* What takes a value of type t apart: its fields' variables, which it declares or not. */
static Ast *pattern(Split *w, Loc loc, const char *name, const Type *t, bool declares)
{
    Sema *s = w->s;
    AstList items = {0};
    int at = 0;
    Leaves leaves = {0};
    split_leaves(s, name, t, NULL, loc, &leaves);
    for (size_t i = 0; i < leaves.len; i++)
        items =
            ast_list_add(s->arena, items,
                         declares ? tree_binder(s, loc, leaves.data[i].type, leaves.data[i].name)
                                  : tree_name(s, loc, leaves.data[i].name));
    vec_free(&leaves);
    return split_whole(s, loc, t, items, &at, true);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void declare_fields(Split *w, Loc loc, const char *name, const Type *t,
                           const AstList *values, AstList *out)
{
    Leaves leaves = {0};
    split_leaves(w->s, name, t, NULL, loc, &leaves);
    for (size_t i = 0; i < leaves.len; i++)
        code_local(w->s, out, loc, leaves.data[i].type, leaves.data[i].name,
                   values ? values->data[i] : NULL);
    vec_free(&leaves);
}

static void set_by_choice(Split *w, Loc loc, const char *name, const Type *t, Ast *value,
                          bool declares, AstList *out)
{
    AstList then = {0}, other = {0};
    split_rewrite(&value->cond.cond, w);
    if (declares) declare_fields(w, loc, name, t, NULL, out);
    wholes_set(w, loc, name, t, value->cond.then, false, &then);
    wholes_set(w, loc, name, t, value->cond.other, false, &other);
    code_add(w->s, out, code_if(w->s, loc, value->cond.cond, then, other));
}

void wholes_set(Split *w, Loc loc, const char *name, const Type *t, Ast *value, bool declares,
                AstList *out)
{
    Sema *s = w->s;
    AstList *before = w->before;
    w->before = out;
    if (wholes_known(w, value, t)) {
        AstList parts = wholes_parts(w, value, t);
        int at = 0;
        if (declares)
            declare_fields(w, loc, name, t, &parts, out);
        else
            code_add(w->s, out,
                     tree_assign(s, loc, pattern(w, loc, name, t, false),
                                 split_whole(s, loc, t, parts, &at, true)));
    } else if (value->kind == AST_COND) {
        set_by_choice(w, loc, name, t, value, declares, out);
    } else if (value->kind == AST_CALL) {
        split_rewrite(&value, w);
        code_add(w->s, out, tree_assign(s, loc, pattern(w, loc, name, t, declares), value));
    } else {
        split_fail(w, value->loc, "this value that holds arrays", "write a new one, of its fields");
    }
    w->before = before;
    if (declares) vec_push(&w->wholes, ((Whole){name, t}));
}

static const Type *declared_type(Split *w, const Ast *n, Ast *written)
{
    const Fact *fact = w->facts ? facts_at(w->facts, n, FACT_DECLARED) : NULL;
    if (fact) return fact->type;
    if (!written || written->kind == AST_TYPE_VAR) return NULL;
    return decl_type(w->s, ast_clone(w->s->arena, written));
}

static void declaration(Split *w, Ast *n, AstList *out)
{
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *d = n->var_decl.vars.data[i];
        const Type *t = declared_type(w, d, n->var_decl.vtype);
        if (t && split_is(t) && !n->var_decl.is_const) {
            if (d->declarator.init) {
                wholes_set(w, d->loc, d->declarator.name, t, d->declarator.init, true, out);
            } else {
                declare_fields(w, d->loc, d->declarator.name, t, NULL, out);
                vec_push(&w->wholes, ((Whole){d->declarator.name, t}));
            }
            continue;
        }
        if (d->declarator.init) split_rewrite(&d->declarator.init, w);
        Ast *one = arena_copy(w->s->arena, n, sizeof *n);
        one->var_decl.vtype = ast_clone(w->s->arena, n->var_decl.vtype);
        one->var_decl.vars = ast_list_add(w->s->arena, (AstList){0}, d);
        code_add(w->s, out, one);
    }
}

/* One place of an assignment to several, and its value where that is written beside it. */
static void place(Split *w, Ast **target, Ast **value)
{
    Sema *s = w->s;
    Ast *n = *target;
    Path path;
    const Type *t = NULL;
    const char *name = NULL;
    if (n->kind == AST_TUPLE) {
        bool both =
            value && (*value)->kind == AST_TUPLE && (*value)->tuple.items.len == n->tuple.items.len;
        for (int i = 0; i < n->tuple.items.len; i++)
            place(w, &n->tuple.items.data[i], both ? &(*value)->tuple.items.data[i] : NULL);
        if (value && !both) {
            const Ast *whole = tuple_value(*value);
            if (split_path(w, whole, &path) && split_is(path.type)) {
                int at = 0; /* its fields, as a tuple */
                *value =
                    split_whole(s, n->loc, path.type, split_values(w, n->loc, &path), &at, true);
            } else {
                split_rewrite(value, w);
            }
        }
        return;
    }
    const bool declares = n->kind == AST_BINDER && n->binder.vtype && !n->binder.constraint;
    if (declares) {
        Ast *first = n->binder.names.data[0];
        t = declared_type(w, first, n->binder.vtype);
        name = first->name_ref.name;
    } else if (split_path(w, n, &path) && path.name) {
        t = path.type;
        name = path.name;
    }
    if (t && split_is(t)) {
        int at = 0;
        *target = pattern(w, n->loc, name, t, declares);
        if (value && wholes_known(w, tuple_value(*value), t)) {
            AstList parts = wholes_parts(w, tuple_value(*value), t);
            *value = split_whole(s, n->loc, t, parts, &at, true);
        } else if (value) {
            split_rewrite(value, w);
        }
        if (declares) vec_push(&w->wholes, ((Whole){name, t}));
        return;
    }
    if (!declares) split_rewrite(target, w);
    if (value) split_rewrite(value, w);
}

/* What is returned: wholes in it are made again. */
static void returned(Split *w, Ast **slot)
{
    Path path;
    AstList none = {0}, *items = (*slot)->kind == AST_TUPLE ? &(*slot)->tuple.items
                                 : (*slot)->kind == AST_NEW ? &(*slot)->new_.args
                                                            : &none;
    if (split_path(w, *slot, &path) && path.name && split_is(path.type)) {
        int at = 0;
        *slot = split_whole(w->s, (*slot)->loc, path.type, split_values(w, (*slot)->loc, &path),
                            &at, false);
        return;
    }
    for (int i = 0; i < items->len; i++) returned(w, &items->data[i]);
    if (!items->len) split_rewrite(slot, w);
}

static void assignment(Split *w, Ast *n, AstList *out)
{
    Ast *e = n->expr_stmt.expr;
    Path path;
    bool set = e->kind == AST_ASSIGN && e->assign.op == AST_OP_NONE;
    if (set && e->assign.target->kind == AST_TUPLE) {
        place(w, &e->assign.target, &e->assign.value);
    } else if (set && split_path(w, e->assign.target, &path) && path.name && split_is(path.type)) {
        wholes_set(w, n->loc, path.name, path.type, e->assign.value, false, out);
        return;
    } else {
        split_rewrite(&n->expr_stmt.expr, w);
    }
    code_add(w->s, out, n);
}

static void list(Split *w, AstList *stmts)
{
    AstList out = {0}, *before = w->before;
    size_t wholes = w->wholes.len;
    for (int i = 0; i < stmts->len && w->good; i++) {
        Ast *n = stmts->data[i];
        w->before = &out;
        if (n->kind == AST_VAR_DECL)
            declaration(w, n, &out);
        else if (n->kind == AST_EXPR_STMT)
            assignment(w, n, &out);
        else if (n->kind == AST_RETURN && n->return_.value) {
            returned(w, &n->return_.value);
            code_add(w->s, &out, n);
        } else {
            split_rewrite(&n, w);
            code_add(w->s, &out, n);
        }
    }
    w->wholes.len = wholes;
    w->before = before;
    *stmts = out;
}

bool wholes_statement(Split *w, Ast **slot)
{
    Ast *n = *slot;
    AstList *before = w->before;
    if (n->kind == AST_BLOCK) {
        list(w, &n->block.stmts);
    } else if (n->kind == AST_CASE) {
        list(w, &n->case_.stmts);
    } else if (n->kind == AST_EXPR_STMT || n->kind == AST_RETURN || n->kind == AST_VAR_DECL) {
        AstList one = ast_list_add(w->s->arena, (AstList){0}, n);
        list(w, &one);
        *slot = one.len == 1 ? one.data[0] : code_block(w->s, n->loc, one);
    } else if (ast_is_loop(n)) { /* what stands in its head is evaluated each turn */
        w->before = NULL;
        ast_each_child(n, split_rewrite, w);
        w->before = before;
    } else {
        return false;
    }
    return true;
}
