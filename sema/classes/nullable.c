/* Values that may be null: `T?` is the library's final class Nullable<T> where T is a value, and T
 * itself where that can be null already. Operators of T are lifted:
 *
 *     a + b       (a is var $a) && (b is var $b) && $a.HasValue && $b.HasValue ? $a.Stored + $b.Stored : null
 *     a < b       (a is var $a) && (b is var $b) && $a.HasValue && $b.HasValue && $a.Stored < $b.Stored
 *     a ?? b      (a is var $a) && $a.HasValue ? $a.Stored : b
 */
#include <string.h>

#include "../check/check.h"

const Type *nullable_of(const Type *t)
{
    const Class *c = class_of(t);
    const Instance *i = c ? c->sym->instance : NULL;
    bool library = i && c->sym->library && strcmp(i->of->name, "Nullable") == 0;
    return library ? i->params[0]->type : NULL;
}

/* A type parameter stands for what it is: T? of it is T, as in C#, but where T is a struct. */
static bool is_parameter(const Sema *s, const Ast *t)
{
    if (t->kind != AST_TYPE_NAME || !t->type_name.name || !s->instance) return false;
    bool found = false;
    for (int i = 0; i < s->instance->nparams; i++)
        found = found || s->instance->params[i]->name == t->type_name.name;
    const AstList *wheres = generic_wheres(s->instance->of);
    for (int i = 0; i < wheres->len; i++) {
        const struct Ast_where *w = &wheres->data[i]->where;
        if (w->name == t->type_name.name && (w->mods & AST_MOD_STRUCT)) return false;
    }
    return found;
}

const Type *nullable_type(Sema *s, const Type *t, Loc loc)
{
    const Class *c = class_of(t);
    bool value = type_is_value(t) || (c && class_is_final_value(c));
    Symbol *g = value && !nullable_of(t) ? scope_library(s, SYM_TYPE, "Nullable") : NULL;
    if (!g || t == s->error) return t;
    return generic_with(s, g, t, loc);
}

const Type *nullable_written(Sema *s, const Ast *n)
{
    const Type *t = decl_type(s, n->type_nullable.elem);
    if (t == s->voids) {
        report(s, n->loc, UNKNOWN_TYPE, "void is never null");
        return s->error;
    }
    return is_parameter(s, n->type_nullable.elem) ? t : nullable_type(s, t, n->loc);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* Is there one between these types, of which one at least may be null? */
bool nullable_converts(Sema *s, const Ast *e, const Type *to)
{
    const Type *from = e->type, *inner = nullable_of(to), *outer = nullable_of(from);
    if (!inner) return false;
    if (from->kind == TY_NULL) return true;
    Ast like = {.kind = AST_BAD, .type = outer};
    return convert_class(s, outer ? &like : e, inner) != CONV_NONE;
}

/* The library's function of this name for these types. */
static Symbol *library(Sema *s, const char *name, const Type *a, const Type *b, Loc loc)
{
    const Type *types[] = {a, b};
    Symbol *g = scope_library(s, SYM_FUNC, name);
    return g && g->generic ? generic_instance(s, g, types, loc) : NULL;
}

static bool call(Sema *s, Ast **slot, Symbol *f)
{
    if (!f) return false;
    Ast *n = ast_new(s->arena, AST_CALL, (*slot)->loc);
    call_static(s, n, f, ast_list_add(s->arena, (AstList){0}, *slot));
    *slot = n;
    return true;
}

bool nullable_convert(Sema *s, Ast **slot, const Type *to)
{
    Ast *e = *slot;
    const Type *inner = nullable_of(to), *outer = nullable_of(e->type);
    if (e->type->kind == TY_NULL && to->kind != TY_RECORD) {
        Symbol *f = library(s, "NoValue", inner, NULL, e->loc);
        if (!f) return false;
        *slot = ast_new(s->arena, AST_CALL, e->loc);
        call_static(s, *slot, f, (AstList){0});
        return true;
    }
    if (e->type->kind == TY_NULL) {
        Ast *none = ast_new(s->arena, AST_DEFAULT, e->loc);
        none->type = to;
        type_use(s, to);
        *slot = none;
        return true;
    }
    if (outer) return call(s, slot, library(s, "ConvertNullable", outer, inner, e->loc));
    return convert_to(s, slot, inner, NULL) &&
           call(s, slot, library(s, "ToNullable", inner, NULL, e->loc));
}

/* e as part of a tree that is to be checked. */
static Ast *checked(Sema *s, Ast *e)
{
    convert_wrap(s, &e, e->type); /* check_expr leaves it as it is */
    return e;
}

/* (T?) e, where e does not convert by itself. */
bool nullable_cast(Sema *s, Ast *n, const Type *from, const Type *to)
{
    const Type *inner = nullable_of(to), *outer = nullable_of(from);
    Ast *value = n->cast.operand;
    if (from == to || (!inner && !outer)) return false;
    if (outer && inner) {
        if (!call(s, &value, library(s, "ConvertNullable", outer, inner, n->loc))) return false;
    } else if (class_of(from) && class_is_object(class_of(from))) {
        if (!call(s, &value, library(s, "UnboxNullable", inner, NULL, n->loc))) return false;
    } else if (outer) {
        if (!type_is_value(to)) return false;
        if (!call(s, &value, library(s, "ValueOfNullable", outer, NULL, n->loc))) return false;
        value = tree_cast(s, n->loc, type_node(s, n->loc, to), checked(s, value));
        check_expr(s, &value, NULL);
    } else if (convert_class(s, value, to) == CONV_NONE && type_is_value(from)) {
        value = tree_cast(s, n->loc, type_node(s, n->loc, inner), checked(s, value));
        if (check_expr(s, &value, NULL) != s->error) nullable_convert(s, &value, to);
    } else {
        return false;
    }
    *n = *value;
    return true;
}

Symbol *nullable_box(Sema *s, const Type *from, Loc loc)
{
    const Type *t = nullable_of(from);
    return library(s, type_is_enum(t) ? "BoxNullableEnum" : "BoxNullable", t, NULL, loc);
}

/* ---- operators ------------------------------------------------------------------------------- */

static Ast *member(Sema *s, Loc loc, const char *name, const char *what)
{
    return tree_member(s, loc, tree_name(s, loc, name), what);
}

static Ast *both(Sema *s, Loc loc, Ast *a, Ast *b)
{
    return a && b ? tree_binary(s, loc, AST_OP_LAND, a, b) : a ? a : b;
}

/* One operand as a variable: what sets it is added to *set, its test to *has. Gives its value. */
static Ast *operand(Sema *s, Ast *e, Ast **set, Ast **has)
{
    if (s->functional) { /* nothing can be declared there, and what is asked twice is the same */
        Ast *again = ast_clone(s->arena, e);
        if (!nullable_of(e->type)) return checked(s, e);
        *has = both(s, e->loc, *has, tree_member(s, e->loc, checked(s, again), "HasValue"));
        return tree_member(s, e->loc, checked(s, e), "Stored");
    }
    const char *name = intern_cstr(s->names, arena_printf(s->arena, "$null%d", ++s->synthetic));
    Ast *is = ast_new(s->arena, AST_IS, e->loc), *of = ast_new(s->arena, AST_PATTERN_OF, e->loc);
    of->pattern_of.target = ast_new(s->arena, AST_TYPE_VAR, e->loc);
    of->pattern_of.name = name;
    is->is_.operand = checked(s, e);
    is->is_.target = of;
    *set = both(s, e->loc, *set, is);
    if (!nullable_of(e->type)) return tree_name(s, e->loc, name);
    *has = both(s, e->loc, *has, member(s, e->loc, name, "HasValue"));
    return member(s, e->loc, name, "Stored");
}

/* *n becomes test ? value : null; the value is unchecked. */
static void lifted(Sema *s, Ast *n, Ast *test, Ast *value)
{
    Ast *cond = ast_new(s->arena, AST_COND, n->loc),
        *none = ast_new(s->arena, AST_NULL_LIT, n->loc);
    n->type = s->error;
    check_null(s, none);
    if (check_value(s, &test, NULL) == s->error || check_value(s, &value, NULL) == s->error) return;
    const Type *t = nullable_type(s, value->type, n->loc);
    if (t == s->error || !convert_to(s, &value, t, NULL) || !convert_to(s, &none, t, NULL)) return;
    cond->cond.cond = test;
    cond->cond.then = value;
    cond->cond.other = none;
    cond->type = t;
    *n = *cond;
}

static void compared(Sema *s, Ast *n, Ast *test)
{
    check_expr(s, &test, NULL);
    *n = *test;
}

static Ast *negated(Sema *s, Ast *e)
{
    Ast *n = ast_new(s->arena, AST_UNARY, e->loc);
    n->unary.op = AST_OP_NOT;
    n->unary.operand = e;
    return n;
}

/* a == b: both are null, or both have values that are equal. */
static void equality(Sema *s, Ast *n)
{
    AstOp op = n->binary.op;
    Ast *set = NULL, *x = NULL, *y = NULL, *l = n->binary.left, *r = n->binary.right, *test;
    bool null = l->type->kind == TY_NULL || r->type->kind == TY_NULL;
    if (null) {
        operand(s, l->type->kind == TY_NULL ? r : l, &set, &x);
        compared(s, n, both(s, n->loc, set, op == AST_OP_EQ ? negated(s, x) : x));
        return;
    }
    Ast *a = operand(s, l, &set, &x), *b = operand(s, r, &set, &y);
    Ast *same = tree_binary(s, n->loc, AST_OP_EQ, a, b);
    if (x && y) {
        Ast *alike = tree_binary(s, n->loc, AST_OP_EQ, ast_clone(s->arena, x), y);
        test = tree_binary(s, n->loc, AST_OP_LOR, negated(s, x), same);
        test = both(s, n->loc, alike, test);
    } else {
        test = both(s, n->loc, x ? x : y, same);
    }
    compared(s, n, both(s, n->loc, set, op == AST_OP_EQ ? test : negated(s, test)));
}

static bool is_bool(const Sema *s, const Type *t)
{
    return (nullable_of(t) ? nullable_of(t) : t) == s->boolean;
}

/* false & null is false, true | null is true. */
static bool three_valued(Sema *s, Ast *n)
{
    if (!is_bool(s, n->binary.left->type) || !is_bool(s, n->binary.right->type)) return false;
    const char *name = n->binary.op == AST_OP_AND ? "AndNullable" : "OrNullable";
    Ast *both = tree_call(s, n->loc, tree_name(s, n->loc, name), 2, checked(s, n->binary.left),
                          checked(s, n->binary.right));
    check_value(s, &both, NULL);
    *n = *both;
    return true;
}

bool nullable_binary(Sema *s, Ast *n)
{
    const Ast *l = n->binary.left, *r = n->binary.right;
    AstOp op = n->binary.op;
    if (!nullable_of(l->type) && !nullable_of(r->type)) return false;
    if (op == AST_OP_EQ || op == AST_OP_NE) {
        equality(s, n);
        return true;
    }
    if (op == AST_OP_LAND || op == AST_OP_LOR || l->type->kind == TY_NULL ||
        r->type->kind == TY_NULL)
        return false;
    if ((op == AST_OP_AND || op == AST_OP_OR) && three_valued(s, n)) return true;
    Ast *set = NULL, *has = NULL;
    Ast *a = operand(s, n->binary.left, &set, &has), *b = operand(s, n->binary.right, &set, &has);
    Ast *value = tree_binary(s, n->loc, op, a, b);
    Ast *test = both(s, n->loc, set, has);
    if (op == AST_OP_LT || op == AST_OP_LE || op == AST_OP_GT || op == AST_OP_GE)
        compared(s, n, both(s, n->loc, test, value));
    else
        lifted(s, n, test, value);
    return true;
}

bool nullable_unary(Sema *s, Ast *n)
{
    if (!nullable_of(n->unary.operand->type)) return false;
    Ast *set = NULL, *has = NULL, *a = operand(s, n->unary.operand, &set, &has);
    Ast *value = ast_new(s->arena, AST_UNARY, n->loc);
    value->unary.op = n->unary.op;
    value->unary.operand = a;
    lifted(s, n, both(s, n->loc, set, has), value);
    return true;
}

/* The type of a ?? b. */
static const Type *coalesced(Sema *s, const Ast *a, const Ast *b)
{
    const Type *inner = nullable_of(a->type);
    if (b->kind == AST_THROW || convert_class(s, b, inner) != CONV_NONE) return inner;
    if (convert_class(s, b, a->type) != CONV_NONE) return a->type;
    Ast like = {.kind = AST_BAD, .type = inner};
    return convert_class(s, &like, b->type) != CONV_NONE ? b->type : NULL;
}

bool nullable_coalesce(Sema *s, Ast *n)
{
    Ast *left = n->binary.left, *right = n->binary.right, *set = NULL, *has = NULL;
    if (!nullable_of(left->type)) return false;
    const Type *t = coalesced(s, left, right);
    if (!t) return false;
    Ast *value = operand(s, left, &set, &has), *test = both(s, n->loc, set, has);
    n->type = s->error;
    if (check_value(s, &test, NULL) == s->error || check_value(s, &value, NULL) == s->error)
        return true;
    if (!convert_to(s, &value, t, NULL)) return true;
    if (right->kind == AST_THROW)
        check_thrown(s, right, t);
    else if (!convert_to(s, &right, t, NULL))
        return true;
    Ast *cond = ast_new(s->arena, AST_COND, n->loc);
    cond->cond.cond = test;
    cond->cond.then = value;
    cond->cond.other = right;
    cond->type = t;
    *n = *cond;
    return true;
}

bool nullable_assign(Sema *s, Ast *n, Ast *again)
{
    const Type *t = n->assign.target->type;
    if (n->assign.op == AST_OP_NONE || !again ||
        (!nullable_of(t) && !nullable_of(n->assign.value->type)))
        return false;
    Ast *sum = tree_binary(s, n->loc, n->assign.op, again, checked(s, n->assign.value));
    n->assign.op = AST_OP_NONE;
    n->assign.value = sum;
    if (check_value(s, &n->assign.value, NULL) != s->error)
        convert_to(s, &n->assign.value, t, NULL);
    return true;
}
