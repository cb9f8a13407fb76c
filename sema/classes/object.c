/* Making objects, and asking what they are: new, null, default, as. */
#include "../check/check.h"

#include <string.h>

/* ---- new ------------------------------------------------------------------------------------ */

/* new List<int> { 1, 2 }: calls of Add on the new object, whose base is left out. */
static void check_added(Sema *s, Ast *n, const Type *t)
{
    AstList *items = &n->new_.init->init_list.items;
    n->new_.init->type = t;
    Class *cls = class_of(t);
    if (!items->len) return; /* new C { } */
    if (!member_find(s, cls, intern_cstr(s->names, "Add"))) {
        report(s, n->new_.init->loc, INITIALISER, "'%s' has no method Add: it takes no { ... }",
               t->name);
        return;
    }
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i], *object = ast_new(s->arena, AST_CONVERT, item->loc);
        object->type = t;
        Ast *call = tree_call(s, item->loc, tree_member(s, item->loc, object, "Add"), 0);
        if (item->kind == AST_INIT_LIST)
            call->call.args = item->init_list.items;
        else
            call->call.args = ast_list_add(s->arena, call->call.args, item);
        call->call.callee->sym = member_find(s, cls, call->call.callee->member.name);
        check_method_call(s, call);
        if (call->type != s->error) call->call.callee->member.base = NULL;
        items->data[i] = call;
    }
}

/* ---- new P { X = 1, [k] = 2 } ----------------------------------------------------------------- */

static bool sets_members(const Ast *n)
{
    const Ast *init = n->new_.init;
    return init && init->kind == AST_INIT_LIST && init->init_list.items.len &&
           init->init_list.items.data[0]->kind == AST_ASSIGN;
}

static Ast *object_name(Sema *s, Loc loc)
{
    return tree_name(s, loc, "$object");
}

static bool fill(Sema *s, const AstList *items, const Ast *object, AstList *out);

/* P = { 1, 2 } adds to what is in P, P = { X = 1 } sets its members. */
static bool fill_member(Sema *s, Ast *place, const Ast *init, AstList *out)
{
    const AstList *items = &init->init_list.items;
    if (items->len && items->data[0]->kind == AST_ASSIGN) return fill(s, items, place, out);
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        Ast *add = tree_member(s, item->loc, ast_clone(s->arena, place), "Add");
        Ast *call = tree_call(s, item->loc, add, 0);
        if (item->kind == AST_INIT_LIST)
            call->call.args = item->init_list.items;
        else
            call->call.args = ast_list_add(s->arena, call->call.args, item);
        *out = ast_list_add(s->arena, *out, tree_stmt(s, call));
    }
    return true;
}

/* The statements that set what the items name; false after a report. */
static bool fill(Sema *s, const AstList *items, const Ast *object, AstList *out)
{
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        Ast *target = item->kind == AST_ASSIGN ? item->assign.target : item;
        bool plain = item->kind == AST_ASSIGN && item->assign.op == AST_OP_NONE;
        if (!plain || (target->kind != AST_NAME_REF && target->kind != AST_INDEX)) {
            report(s, item->loc, INITIALISER,
                   "an item sets a member, P = 1, or an element, [k] = 1");
            return false;
        }
        if (target->kind == AST_NAME_REF)
            item->assign.target =
                tree_member(s, target->loc, ast_clone(s->arena, object), target->name_ref.name);
        else
            target->index.base = ast_clone(s->arena, object);
        if (item->assign.value->kind != AST_INIT_LIST)
            *out = ast_list_add(s->arena, *out, tree_stmt(s, item));
        else if (!fill_member(s, item->assign.target, item->assign.value, out))
            return false;
    }
    return true;
}

/* A function that makes the object, sets its members and gives it back: pure, if what it is given is. */
static void set_members(Sema *s, Ast **slot, const Type *t)
{
    Ast *n = *slot;
    const AstList *items = &n->new_.init->init_list.items;
    n->new_.init = NULL;
    n->new_.filled = true;
    Ast *block =
        tree_block(s, n->loc, 1, tree_local(s, n->loc, type_node(s, n->loc, t), "$object", n));
    if (!fill(s, items, object_name(s, n->loc), &block->block.stmts)) return;
    block->block.stmts =
        ast_list_add(s->arena, block->block.stmts, tree_return(s, object_name(s, n->loc)));
    Ast *call = local_block(s, "initialiser", block, (AstList){0}, (AstList){0}, t);
    if (!call) return;
    *slot = call;
    check_expr(s, slot, t);
}

/* Of a final class the items are the arguments of the constructor that has all fields. */
static bool name_fields(Sema *s, Ast *n, const Class *c)
{
    const AstList *items = &n->new_.init->init_list.items;
    if (n->new_.args.len || !class_plain_constructor(c)) return false;
    for (const Symbol *f = c->ctors; class_is_struct(c) && f; f = f->next)
        if (!f->decl->func.params.len && f->decl->func.body->block.stmts.len) return false;
    AstList args = {0};
    int named = 0;
    for (int k = 0; k < c->nfields; k++) {
        Ast *value = NULL;
        for (int i = 0; i < items->len; i++) {
            const Ast *item = items->data[i];
            bool here = item->kind == AST_ASSIGN && item->assign.target->kind == AST_NAME_REF &&
                        item->assign.target->name_ref.name == c->fields[k]->name;
            if (here && (value || item->assign.value->kind == AST_INIT_LIST)) return false;
            if (here) value = item->assign.value;
        }
        if (!value) {
            value = ast_new(s->arena, AST_DEFAULT, n->loc);
            value->default_.target = type_node(s, n->loc, c->fields[k]->type);
        } else {
            named++;
        }
        args = ast_list_add(s->arena, args, value);
    }
    if (named != items->len) return false; /* some item is no field */
    n->sym = c->plain;
    n->new_.args = args;
    n->new_.init = NULL;
    n->new_.filled = true;
    return true;
}

/* `chosen`: the only one that is meant, or NULL. */
static Candidates constructors(Sema *s, const Class *cls, Symbol *chosen)
{
    Candidates set =
        cls->ctors ? candidates_of_user(s, chosen ? chosen : cls->ctors) : (Candidates){0};
    set.name = cls->type->name;
    return set;
}

static void make(Sema *s, Ast *n, Class *cls, Candidates set);

/* new string('-', 10) is "".PadLeft(10, '-'), new string(chars) string.Join("", chars), with a place and a count
 * its Substring. */
static bool new_string(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    const AstList *args = &n->new_.args;
    Ast *none = tree_text(s, n->loc, "");
    if (args->len == 2) {
        Ast *pad = tree_member(s, n->loc, none, "PadLeft");
        *slot = tree_call(s, n->loc, pad, 2, args->data[1], args->data[0]);
    } else if (args->len == 1 || args->len == 3) {
        Ast *join = tree_member(s, n->loc, type_node(s, n->loc, s->string), "Join");
        *slot = tree_call(s, n->loc, join, 2, none, args->data[0]);
        if (args->len == 3)
            *slot = tree_call(s, n->loc, tree_member(s, n->loc, *slot, "Substring"), 2,
                              args->data[1], args->data[2]);
    } else {
        return false;
    }
    check_expr(s, slot, NULL);
    return true;
}

/* The class of new(): what the place wants. */
static const Type *made_type(Sema *s, Ast *n, const Type *hint)
{
    if (n->new_.ntype->kind != AST_TYPE_VAR) return decl_type(s, n->new_.ntype);
    if (hint) {
        n->new_.ntype = type_node(s, n->loc, hint);
        return hint;
    }
    report(s, n->loc, NEEDS_TYPE, "the type of 'new()' comes from its place; here none is wanted");
    report_note(s, NOWHERE, "write it: new List<int>()");
    return s->error;
}

static bool sets(const Ast *init, const char *name)
{
    for (int i = 0; init && init->kind == AST_INIT_LIST && i < init->init_list.items.len; i++) {
        const Ast *item = init->init_list.items.data[i];
        if (item->kind == AST_ASSIGN && item->assign.target->kind == AST_NAME_REF &&
            item->assign.target->name_ref.name == name)
            return true;
    }
    return false;
}

/* What is `required` stands in the braces. */
static void check_required(Sema *s, const Ast *n, const Class *cls)
{
    for (const Class *c = cls; c; c = c->base)
        for (int i = 0; i < c->sym->members->len; i++) {
            const Symbol *m = c->sym->members->data[i];
            bool value = m->kind == SYM_FIELD || m->kind == SYM_PROPERTY;
            if (!value || !(m->mods & AST_MOD_REQUIRED) || sets(n->new_.init, m->name)) continue;
            report(s, n->loc, INITIALISER, "'%s' is required: write new %s { %s = .. }", m->name,
                   cls->type->name, m->name);
            report_note(s, m->loc, "'%s' is declared here", m->name);
            return;
        }
}

void check_new(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    const Type *t = made_type(s, n, hint);
    if (t == s->string && !n->new_.init && new_string(s, slot)) return;
    Class *cls = class_of(t);
    class_settle(s);
    if (cls && !n->new_.filled) check_required(s, n, cls);
    if (cls && sets_members(n) && !(class_is_final_value(cls) && name_fields(s, n, cls))) {
        n->type = s->error;
        set_members(s, slot, t);
        return;
    }
    if (t->kind == TY_FUNC && n->new_.args.len == 1 && !n->new_.init) { /* new Handler(f) */
        *slot = tree_cast(s, n->loc, type_node(s, n->loc, t), n->new_.args.data[0]);
        check_expr(s, slot, hint);
        return;
    }
    if (!cls) {
        check_arguments(s, n->new_.args, NULL);
        n->type = t;
        if (t == s->error) return;
        report(s, n->loc, UNKNOWN_TYPE, "'%s' is not a class", type_text(s->arena, t));
        n->type = s->error;
        return;
    }
    Candidates set = constructors(s, cls, n->sym);
    n->type = s->error;
    if (!named_arguments(s, n, &n->new_.args, &set)) return;
    set = candidates_for(s, set, n->new_.args.len);
    s->index_depth++;
    check_arguments(s, n->new_.args, &set);
    s->index_depth--;
    make(s, n, cls, set);
}

void check_made(Sema *s, Ast *n, Class *cls)
{
    make(s, n, cls, candidates_for(s, constructors(s, cls, n->sym), n->new_.args.len));
}

static void make(Sema *s, Ast *n, Class *cls, Candidates set)
{
    const Type *t = cls->type;
    Fit fit;
    class_use(s, cls);
    n->type = s->error;
    uint64_t mods = cls->decl->class_.mods;
    if (mods & (AST_MOD_ABSTRACT | AST_MOD_INTERFACE | AST_MOD_STATIC)) {
        report(s, n->loc, ABSTRACT, "'%s' is %s: no object can be made of it", t->name,
               mods & AST_MOD_INTERFACE  ? "an interface"
               : mods & AST_MOD_ABSTRACT ? "abstract"
                                         : "static");
        return;
    }
    const Candidate *c = set.len ? resolve(s, n, set, n->new_.args, &fit) : NULL;
    if (!c) return;
    member_check_access(s, c->sym, n->loc);
    resolve_apply(s, c, fit, n->new_.args, n->loc);
    complete_arguments(s, c, &n->new_.args, n->loc);
    n->sym = c->sym;
    n->type = t;
    func_use(s, c->sym);
    pure_method(s, c->sym, n, n->loc);
    if (s->functional) pure_need(s, c->sym, n->loc, "is used in a functional expression");
    if (fit == FIT_PROMOTED) {
        n->res = AST_RES_PROMOTE;
        n->type = promoted_call(s, n->loc, t, c, NULL, n->new_.args);
        pure_need(s, c->sym, n->loc, "is promoted over a function");
    }
    if (n->new_.init && n->type == t) check_added(s, n, t);
}

/* ---- null, default -------------------------------------------------------------------------- */

void check_null(Sema *s, Ast *n)
{
    n->type = type_null(s->types);
}

void check_default(Sema *s, Ast *n, const Type *hint)
{
    const Type *t = n->default_.target ? decl_type(s, n->default_.target) : hint;
    n->type = s->error;
    if (!t) {
        report(s, n->loc, NEEDS_TYPE,
               "the type of 'default' comes from its place; here none is wanted");
        report_note(s, NOWHERE, "write it: default(int)");
        return;
    }
    if (t == s->error) return;
    if (t == s->voids) {
        report(s, n->loc, CONVERSION, "'%s' has no default value", type_text(s->arena, t));
        return;
    }
    n->type = t;
    type_use(s, t);
    n->is_const = t->kind == TY_SCALAR;
    n->value = (ScalarValue){0};
}

/* ---- as --------------------------------------------------------------------------------- */

bool type_is_nullable(const Type *t)
{
    const Class *c = class_of(t);
    return t->kind == TY_STRING || t->kind == TY_NULL || type_is_functional(t) ||
           (t->kind == TY_OBJECT && !(c && class_is_final_value(c)));
}

/* Could a value of one class be of the other? */
static bool related(const Class *a, const Class *b)
{
    return class_is(a, b) || class_is(b, a) || class_is_interface(a) || class_is_interface(b);
}

bool object_cast_exists(const Type *from, const Type *to)
{
    const Class *a = class_of(from), *b = class_of(to);
    return a && b && from->kind == TY_OBJECT && to->kind == TY_OBJECT && related(a, b);
}

/* The class that is asked for; NULL after a report. */
static const Type *asked(Sema *s, Ast *n)
{
    const Type *from = check_value(s, &n->as_.operand, NULL), *to = decl_type(s, n->as_.target);
    class_settle(s);
    if (from == s->error || to == s->error) return NULL;
    if (to->kind == TY_ARRAY && class_of(from)) {
        report(s, n->loc, NEVER_NULL, "a '%s' is never null: write a cast, or is",
               type_text(s->arena, to));
        return NULL;
    }
    if (!class_of(to) || to->kind != TY_OBJECT || !class_of(from)) {
        const Type *bad = class_of(to) && to->kind == TY_OBJECT ? from : to;
        report(s, n->loc, CONVERSION, "'as' asks for the class of an object, and '%s' is none",
               type_text(s->arena, bad));
        return NULL;
    }
    if (!object_cast_exists(from, to)) {
        report(s, n->loc, CONVERSION, "a '%s' is never a '%s'", from->name, to->name);
        return NULL;
    }
    class_use(s, class_of(to));
    return to;
}

void check_as(Sema *s, Ast *n)
{
    if (box_as(s, n)) return;
    const Type *to = asked(s, n);
    n->type = to ? to : s->error;
    const Class *c = class_of(n->type);
    if (!c || !class_is_final_value(c)) return;
    report(s, n->loc, NEVER_NULL, "a '%s' is never null: write a cast", to->name);
    n->type = s->error;
}
