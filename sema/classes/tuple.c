/* Tuples: `(float value, int index)` is a final class that nobody wrote, one for each list of types
 * and names; elements without a name are Item1, Item2 and so on, as all are besides. A tuple converts
 * to another whose elements its own convert to: so names come and go.
 */
#include <stdio.h>
#include <string.h>

#include "../check/check.h"

/* ---- the class ------------------------------------------------------------------------------ */

/* 1 for Item1; 0 of other names. */
static int item_number(const char *name)
{
    int n = 0;
    if (strncmp(name, "Item", 4) != 0 || name[4] == '0' || !name[4]) return 0;
    for (const char *p = name + 4; *p; p++) {
        if (*p < '0' || *p > '9' || n > MAX_PARAMS) return 0;
        n = 10 * n + (*p - '0');
    }
    return n;
}

static const char *item_name(Sema *s, int i)
{
    return intern_cstr(s->names, arena_printf(s->arena, "Item%d", i + 1));
}

static const Ast *element(const Class *c, int i)
{
    return c->decl->class_.positional.data[i];
}

static int length_of(const Class *c)
{
    return c->decl->class_.positional.len;
}

static const Type *type_of(const Class *c, int i)
{
    return element(c, i)->param.ptype->type;
}

static const char *class_text(Sema *s, int n, const Type *const *types, const char *const *names)
{
    const char *text = "(";
    for (int i = 0; i < n; i++)
        text =
            arena_printf(s->arena, "%s%s%s%s%s", text, i ? ", " : "", type_text(s->arena, types[i]),
                         item_number(names[i]) ? "" : " ", item_number(names[i]) ? "" : names[i]);
    return arena_printf(s->arena, "%s)", text);
}

static const Type *find_tuple(const Sema *s, int n, const Type *const *types,
                              const char *const *names)
{
    for (size_t k = 0; k < s->all.len; k++) {
        const Class *c = s->all.data[k];
        bool same = c->tuple && length_of(c) == n;
        for (int i = 0; i < n && same; i++)
            same = type_of(c, i) == types[i] && element(c, i)->param.name == names[i];
        if (same) return c->type;
    }
    return NULL;
}

/* names: of all elements, Item1 .. where none is written. */
static const Type *tuple_type(Sema *s, Loc loc, int n, const Type *const *types,
                              const char *const *names)
{
    const Type *known = find_tuple(s, n, types, names);
    if (known) return known;
    Ast *decl = ast_new(s->arena, AST_CLASS, loc);
    decl->class_.mods = AST_MOD_FINAL;
    decl->class_.name = intern_cstr(s->names, class_text(s, n, types, names));
    decl->class_.header = true;
    for (int i = 0; i < n; i++)
        decl->class_.positional =
            ast_list_add(s->arena, decl->class_.positional,
                         tree_param(s, loc, type_node(s, loc, types[i]), names[i]));
    Symbol *sym = scope_symbol(s, SYM_TYPE, decl->class_.name, NULL, loc, decl);
    sym->imported = true; /* what nobody uses of it is not checked */
    sym->slot = -1;
    decl->sym = sym;
    const Type *t = class_type(s, sym);
    sym->type = t;
    sym->cls->tuple = true;
    class_settle(s);
    return t;
}

bool type_is_tuple(const Type *t)
{
    const Class *c = class_of(t);
    return c && c->tuple;
}

Symbol *tuple_field(Sema *s, const Class *c, const char *name)
{
    int n = item_number(name);
    if (!c->tuple || n < 1 || n > length_of(c)) return NULL;
    return member_own(c->sym, intern_cstr(s->names, element(c, n - 1)->param.name));
}

/* Whether the names of elements can be told apart; reports. */
static bool check_names(Sema *s, Loc loc, int n, const char **names)
{
    for (int i = 0; i < n; i++) {
        if (!names[i]) names[i] = item_name(s, i);
        int number = item_number(names[i]);
        if (number && number != i + 1) {
            report(s, loc, REDECLARED, "'%s' is the name of element %d of every tuple", names[i],
                   number);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (names[k] != names[i]) continue;
            report(s, loc, REDECLARED, "two elements of the tuple are called '%s'", names[i]);
            return false;
        }
    }
    return true;
}

static bool check_length(Sema *s, Loc loc, int n)
{
    if (n < 2) {
        report(s, loc, UNKNOWN_TYPE, "a tuple has two elements or more");
        return false;
    }
    if (n <= MAX_PARAMS) return true;
    report(s, loc, NOT_SUPPORTED, "a tuple has at most %d elements: make an array of some",
           MAX_PARAMS);
    return false;
}

const Type *tuple_written(Sema *s, Ast *t)
{
    const AstList *items = &t->type_tuple.items;
    const Type *types[MAX_PARAMS];
    const char *names[MAX_PARAMS];
    bool broken = !check_length(s, t->loc, items->len);
    for (int i = 0; i < items->len && !broken; i++) {
        Ast *p = items->data[i];
        types[i] = decl_type(s, p->param.ptype);
        names[i] = p->param.name;
        if (types[i] == s->voids) report(s, p->loc, UNKNOWN_TYPE, "an element cannot be void");
        broken = types[i] == s->error || types[i] == s->voids;
    }
    if (broken || !check_names(s, t->loc, items->len, names)) return s->error;
    return tuple_type(s, t->loc, items->len, types, names);
}

/* ---- values --------------------------------------------------------------------------------- */

Ast *tuple_value(Ast *item)
{
    bool named = item->kind == AST_BINDER && item->binder.constraint && !item->binder.vtype;
    return named ? item->binder.constraint : item;
}

/* (x : a) has a name and a value. */
static bool is_named(const Ast *item)
{
    return tuple_value((Ast *)(uintptr_t)item) != item && item->binder.names.len == 1;
}

/* The name of an element: as written, or that of the variable or member that it is. */
static const char *written_name(const Ast *item)
{
    if (is_named(item)) return item->binder.names.data[0]->name_ref.name;
    if (item->kind == AST_NAME_REF) return item->name_ref.name;
    if (item->kind == AST_MEMBER) return item->member.name;
    return NULL;
}

/* Names that are inferred give way to others. */
static void find_names(const AstList *items, const char **names)
{
    for (int i = 0; i < items->len; i++) {
        names[i] = written_name(items->data[i]);
        if (names[i] && !is_named(items->data[i]) &&
            (item_number(names[i]) || !strcmp(names[i], "ToString") || names[i][0] == '$'))
            names[i] = NULL;
    }
    for (int i = 0; i < items->len; i++) {
        bool twice = false;
        for (int k = 0; k < items->len; k++)
            twice = twice || (k != i && names[k] && names[k] == names[i]);
        for (int k = 0; twice && k < items->len; k++)
            if (k != i && names[k] == names[i] && !is_named(items->data[k])) names[k] = NULL;
        if (twice && !is_named(items->data[i])) names[i] = NULL;
    }
}

static bool is_value(Sema *s, const Ast *item)
{
    if (is_named(item)) return true;
    bool reference =
        item->kind == AST_UNARY && (item->unary.op == AST_OP_REF || item->unary.op == AST_OP_OUT);
    if (item->kind == AST_BINDER)
        report(s, item->loc, BINDER,
               "variables are declared in a tuple to which something is assigned: (int a, int b) "
               "= ...");
    else if (reference)
        report(s, item->loc, ARGUMENT_MODE, "'%s' belongs to an argument of a call",
               ast_op_text(item->unary.op));
    return item->kind != AST_BINDER && !reference;
}

/* The tuple that the place wants, if it has as many elements: also by way of a T? or of what the
 * user's class makes of tuples. */
static const Type *wanted(Sema *s, const Type *hint, int n)
{
    const Type *t = hint ? result_of(hint) : NULL;
    if (t && nullable_of(t)) t = nullable_of(t);
    const Class *c = class_of(t);
    if (c && c->tuple) return length_of(c) == n ? c->type : NULL;
    const Symbol *f = NULL;
    while ((f = user_next_conversion(s, c, "implicit", f))) {
        const Class *from = class_of(f->type->params[0]);
        if (from && from->tuple && f->type->result == t && length_of(from) == n) return from->type;
    }
    return NULL;
}

/* The type of what is given, from the types of its elements. */
static const Type *own_type(Sema *s, const Ast *n, const char **names)
{
    const AstList *items = &n->tuple.items;
    const Type *types[MAX_PARAMS];
    bool broken = false;
    for (int i = 0; i < items->len; i++) {
        check_value(s, &items->data[i], NULL);
        types[i] = items->data[i]->type;
        if (types[i]->kind == TY_NULL) {
            report(s, items->data[i]->loc, NEEDS_TYPE,
                   "the type of this element cannot be inferred from null");
            types[i] = s->error;
        }
        broken = broken || types[i] == s->error;
    }
    if (broken || !check_names(s, n->loc, items->len, names)) return s->error;
    return tuple_type(s, n->loc, items->len, types, names);
}

void check_tuple(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    AstList *items = &n->tuple.items;
    const char *names[MAX_PARAMS];
    bool broken = !check_length(s, n->loc, items->len);
    n->type = s->error;
    if (broken) return;
    find_names(items, names);
    for (int i = 0; i < items->len; i++) {
        broken = !is_value(s, items->data[i]) || broken;
        if (is_named(items->data[i])) items->data[i] = items->data[i]->binder.constraint;
    }
    if (broken) return;
    const Type *t = wanted(s, hint, items->len);
    bool checked = !t;
    if (!t) t = own_type(s, n, names);
    if (t == s->error) return;
    Ast *make = ast_new(s->arena, AST_NEW, n->loc);
    make->new_.ntype = type_node(s, n->loc, t);
    make->new_.args = *items;
    *slot = make;
    if (checked)
        check_made(s, make, class_of(t));
    else
        check_new(s, slot, NULL);
}

/* ---- classes that differ in names ------------------------------------------------------------- */

static bool alike(const Type *a, const Type *b)
{
    if (a == b) return true;
    const Class *x = class_of(a), *y = class_of(b);
    if (type_is_functional(a) && a->kind == b->kind && a->nparams == b->nparams) {
        for (int i = 0; i < a->nparams; i++)
            if (!alike(a->params[i], b->params[i])) return false;
        return alike(a->result, b->result);
    }
    if (!x || !y || !x->tuple || !y->tuple) return x && y && class_alike(x, y);
    if (length_of(x) != length_of(y)) return false;
    for (int i = 0; i < length_of(x); i++)
        if (!alike(type_of(x, i), type_of(y, i))) return false;
    return true;
}

bool class_alike(const Class *a, const Class *b)
{
    if (a == b) return true;
    const Instance *x = a->sym->instance, *y = b->sym->instance;
    if (!x || !y || x->of != y->of) return false;
    for (int i = 0; i < x->nparams; i++)
        if (!alike(x->params[i]->type, y->params[i]->type)) return false;
    return true;
}

bool class_is_asked(const Class *c)
{
    if (c->used || !c->sym->instance) return c->used;
    for (const Symbol *i = generic_newest(c->sym->instance->of); i; i = i->instance->older)
        if (i->cls && i->cls->used && (class_alike(i->cls, c) || vary_stands(c, i->cls)))
            return true;
    return false;
}

const Class *class_first_alike(const Class *c)
{
    const Class *first = c;
    if (!c->sym->instance) return c;
    for (const Symbol *i = generic_newest(c->sym->instance->of); i; i = i->instance->older)
        if (i->cls && class_alike(i->cls, c)) first = i->cls;
    return first;
}

/* ---- conversions ---------------------------------------------------------------------------- */

static bool converts(Sema *s, const Type *from, const Type *to)
{
    Ast like = {.kind = AST_BAD, .type = from};
    return convert_class(s, &like, to) != CONV_NONE;
}

/* T $from(F $v) => new T($v.a, $v.b); */
Symbol *tuple_conversion(Sema *s, const Type *from, const Type *to)
{
    const Class *a = class_of(from), *b = class_of(to);
    if (!a || !b || a == b || !a->tuple || !b->tuple || length_of(a) != length_of(b)) return NULL;
    const char *name = intern_cstr(s->names, arena_printf(s->arena, "$from_%s", a->mangled));
    Symbol *f = member_own(b->sym, name);
    if (f) return f;
    for (int i = 0; i < length_of(a); i++)
        if (!converts(s, type_of(a, i), type_of(b, i))) return NULL;
    Loc loc = b->sym->loc;
    Ast *make = ast_new(s->arena, AST_NEW, loc);
    make->new_.ntype = type_node(s, loc, to);
    for (int i = 0; i < length_of(a); i++)
        make->new_.args =
            ast_list_add(s->arena, make->new_.args,
                         tree_member(s, loc, tree_name(s, loc, "$v"), element(a, i)->param.name));
    AstList params =
        ast_list_add(s->arena, (AstList){0}, tree_param(s, loc, type_node(s, loc, from), "$v"));
    Ast *func = tree_func(s, loc, AST_MOD_STATIC, type_node(s, loc, to), name, params,
                          tree_block(s, loc, 1, tree_return(s, make)));
    f = scope_symbol(s, SYM_FUNC, name, NULL, loc, func);
    f->slot = -1;
    f->imported = true;
    f->mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    f->implied = true;
    func->sym = f;
    decl_func(s, f, f);
    member_add(s, b->sym, f);
    return f;
}

const Type *tuple_common(Sema *s, const Ast *a, const Ast *b)
{
    const Type *x = result_of(a->type), *y = result_of(b->type);
    if (!type_is_tuple(x) || !type_is_tuple(y)) return NULL;
    bool xy = x == y || tuple_conversion(s, x, y), yx = x == y || tuple_conversion(s, y, x);
    if (xy && yx) return a->kind == AST_NEW ? y : x;
    return xy ? y : yx ? x : NULL;
}
