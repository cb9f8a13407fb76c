/* Patterns: `value is pattern` becomes a condition on the value, made of comparisons, of IS nodes that ask
 * for a class, and of IS nodes that only declare a variable. Switch statements and switch expressions
 * (choose.c) consist of such conditions.
 *
 *     x is > 3 and < 10           x > 3 && x < 10
 *     s is Circle { R: > 3 } c    s is Circle c && c.R > 3
 *     f() is { A: 1, B: var b }   f() is var $1 && $1 != null && $1.A == 1 && $1.B is var b
 */
#include <string.h>

#include "pattern.h"

/* ---- checked trees --------------------------------------------------------------------------- */

static Ast *truth(Sema *s, Loc loc, bool value)
{
    Ast *n = ast_new(s->arena, AST_BOOL_LIT, loc);
    n->bool_lit.value = value;
    check_expr(s, &n, NULL);
    return n;
}

Ast *pattern_bad(Sema *s, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_BAD, loc);
    n->type = s->error;
    return n;
}

/* NULL stands for what is always true. */
Ast *pattern_both(Sema *s, Ast *a, Ast *b)
{
    if (!a || !b) return a ? a : b;
    Loc loc = a->loc;
    if (b->loc.end > loc.end) loc.end = b->loc.end;
    Ast *n = tree_binary(s, loc, AST_OP_LAND, a, b);
    binary_checked(s, n);
    return n;
}

static Ast *either(Sema *s, Loc loc, Ast *a, Ast *b)
{
    if (!a || !b) return NULL;
    Ast *n = tree_binary(s, loc, AST_OP_LOR, a, b);
    binary_checked(s, n);
    return n;
}

Ast *pattern_opposite(Sema *s, Loc loc, Ast *a)
{
    if (!a) return truth(s, loc, false);
    Ast *n = ast_new(s->arena, AST_UNARY, loc);
    n->unary.op = AST_OP_NOT;
    n->unary.operand = a;
    n->type = a->type;
    if (type_is_functional(a->type)) n->res = AST_RES_PROMOTE;
    constant_fold(n);
    return n;
}

/* ---- subjects -------------------------------------------------------------------------------- */

/* The value, checked; the error type after a report. */
static Ast *take(Sema *s, Subject *v)
{
    Ast *n = v->checked;
    v->checked = NULL;
    if (n) return n;
    n = ast_clone(s->arena, v->tree);
    const Type *t = check_value(s, &n, NULL);
    if (!v->type) v->type = t;
    return n;
}

const Type *pattern_type(Sema *s, Subject *v)
{
    if (!v->type) v->checked = take(s, v);
    return v->type;
}

Subject pattern_subject(Ast *tree)
{
    return (Subject){.tree = tree};
}

Subject pattern_member(Sema *s, const Subject *v, Loc loc, const char *name)
{
    return pattern_subject(tree_member(s, loc, ast_clone(s->arena, v->tree), name));
}

/* ---- variables ------------------------------------------------------------------------------- */

static const char *fresh(Sema *s)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$is%d", ++s->synthetic));
}

/* The symbol of a variable that the pattern declares, or of one of ours, whose name begins with $. */
static Symbol *declare(Match *m, Ast *p, Ast *at, const char *name, const Type *t)
{
    Sema *s = m->s;
    bool ours = name[0] == '$';
    if (!ours && s->functional)
        report(s, p->loc, IMPURE_INSIDE,
               "nothing can be declared inside a functional expression: leave '%s' out", name);
    else if (!ours && m->choices)
        report(s, p->loc, REDECLARED,
               "'or' and 'not' declare no variables: '%s' would not always have a value", name);
    Symbol *sym = scope_symbol(s, SYM_LOCAL, name, t, p->loc, at);
    scope_declare(s, sym);
    if (ours) return sym;
    p->sym = sym;
    m->named = ast_list_add(s->arena, m->named, p);
    return sym;
}

/* After an error: the variables that are still missing, of which nothing is known. */
static void declare_rest(Ast **child, void *ctx)
{
    Match *m = ctx;
    Ast *p = *child;
    const char *name = !p                            ? NULL
                       : p->kind == AST_PATTERN_OF   ? p->pattern_of.name
                       : p->kind == AST_PATTERN_LIST ? p->pattern_list.name
                                                     : NULL;
    if (!p) return;
    if (name && !p->sym) {
        p->sym = scope_symbol(m->s, SYM_LOCAL, name, m->s->error, p->loc, p);
        scope_declare(m->s, p->sym);
    }
    ast_each_child(p, declare_rest, m);
}

/* value is var name */
Ast *pattern_bind(Match *m, Subject *v, Ast *p, const char *name)
{
    Sema *s = m->s;
    Ast *n = ast_new(s->arena, AST_IS, p->loc);
    n->is_.operand = take(s, v);
    n->is_.target = ast_new(s->arena, AST_TYPE_VAR, p->loc);
    n->is_.name = name;
    const Type *t = n->is_.operand->type;
    if (t->kind == TY_NULL) {
        report(s, p->loc, NEEDS_TYPE, "the type of '%s' cannot be inferred from null", name);
        t = s->error;
    }
    n->is_.target->type = t;
    n->sym = declare(m, p, n, name, t);
    n->type = t == s->error ? t : s->boolean;
    return n;
}

/* From here on the value is that of a variable. */
Ast *pattern_hold(Match *m, Subject *v, Ast *p)
{
    const char *name = fresh(m->s);
    Ast *n = pattern_bind(m, v, p, name);
    *v = (Subject){.tree = tree_name(m->s, p->loc, name), .type = n->is_.target->type};
    return n;
}

/* ---- types ------------------------------------------------------------------------------------- */

Ast *pattern_null(Match *m, Subject *v, Loc loc)
{
    Sema *s = m->s;
    const Type *t = pattern_type(s, v);
    if (t == s->error) return pattern_bad(s, loc);
    if (!type_is_nullable(t)) {
        if (s->instance) return truth(s, loc, false); /* of a type parameter */
        report(s, loc, NEVER_NULL, "a '%s' is never null", type_text(s->arena, t));
        return pattern_bad(s, loc);
    }
    Ast *n = ast_new(s->arena, AST_IS, loc);
    n->is_.operand = take(s, v);
    n->is_.target = ast_new(s->arena, AST_NULL_LIT, loc);
    n->is_.target->type = type_null(s->types);
    n->type = s->boolean;
    return n;
}

static bool is_object(const Type *t)
{
    return t->kind == TY_OBJECT && class_of(t) && class_is_object(class_of(t));
}

/* A value in an object: TryUnboxValue(v, out T name) */
static Ast *test_boxed(Match *m, Subject *v, Ast *p, const Type *to, const char *name)
{
    Sema *s = m->s;
    Ast *operand = take(s, v), *n = box_test(s, p->loc, operand, to, name);
    if (name[0] != '$') p->sym = scope_user(s, name);
    if (n->type != s->error) *v = (Subject){.tree = tree_name(s, p->loc, name), .type = to};
    return n;
}

static void report_never(Sema *s, Loc loc, const Type *from, const Type *to)
{
    if ((class_of(from) && class_of(to)) || (type_is_value(from) && type_is_value(to)) ||
        to->kind == TY_STRING)
        report(s, loc, CONVERSION, "a '%s' is never a '%s'", type_text(s->arena, from),
               type_text(s->arena, to));
    else
        report(s, loc, CONVERSION, "'is' asks for the class of an object, and '%s' is none",
               type_text(s->arena, class_of(to) && to->kind == TY_OBJECT ? from : to));
}

/* Is it a T? Then *v is of that type. `name`: its variable, or NULL; `typed`: what comes needs one. */
static Ast *test_type(Match *m, Subject *v, Ast *p, Ast *target, const char *name, bool typed)
{
    Sema *s = m->s;
    const Type *from = pattern_type(s, v), *to = box_asked(s, from, &target);
    if (nullable_of(to)) to = nullable_of(to); /* what is null is no T? */
    class_settle(s);
    if (from == s->error || to == s->error) return pattern_bad(s, p->loc);
    if (from == to && !type_is_nullable(from)) return name ? pattern_bind(m, v, p, name) : NULL;
    if (is_object(from) && box_takes(to)) return test_boxed(m, v, p, to, name ? name : fresh(s));
    bool text = from == to && to->kind == TY_STRING;
    if (!text && !object_cast_exists(from, to)) {
        if (!s->instance) {
            report_never(s, p->loc, from, to);
            return pattern_bad(s, p->loc);
        }
        Ast *none = ast_new(s->arena, AST_DEFAULT, p->loc);
        none->default_.target = type_node(s, p->loc, to);
        *v = pattern_subject(none);
        return pattern_both(s, truth(s, p->loc, false),
                            pattern_bind(m, v, p, name ? name : fresh(s)));
    }
    if (!text) class_use(s, class_of(to));
    if (typed && !name) name = fresh(s);
    Ast *n = ast_new(s->arena, AST_IS, p->loc);
    n->is_.operand = take(s, v);
    n->is_.target = target;
    n->is_.name = name;
    n->type = s->boolean;
    if (!name) return n;
    n->sym = declare(m, p, n, name, to);
    *v = (Subject){.tree = tree_name(s, p->loc, name), .type = to};
    return n;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* The type that a name alone means, as a node; NULL: it is a value. What nobody declares is one by its
 * first letter. */
static Ast *named_type(Sema *s, const Ast *p)
{
    const char *name = p->kind == AST_NAME_REF ? p->name_ref.name : "";
    const Symbol *sym = *name ? scope_lookup(s, name) : NULL;
    if (!sym && !(*name >= 'A' && *name <= 'Z')) return NULL;
    if ((sym && sym->kind != SYM_TYPE) || (!sym && static_member(s, p))) return NULL;
    Ast *type = ast_new(s->arena, AST_TYPE_NAME, p->loc);
    type->type_name.name = p->name_ref.name;
    return type;
}

static bool is_constant(Sema *s, const Ast *n)
{
    AstBytes text;
    return n->is_const || (n->type == s->string && constant_text(s, n, &text)) ||
           constant_decimal(n);
}

/* v op constant */
Ast *pattern_constant(Match *m, Subject *v, Ast *p, AstOp op, Ast *value)
{
    Sema *s = m->s;
    const Type *t = pattern_type(s, v);
    if (t == s->error) return pattern_bad(s, p->loc);
    Ast *c = value;
    const Type *want = result_of(t), *ct = check_value(s, &c, is_object(t) ? NULL : want);
    if (ct == s->error) return pattern_bad(s, p->loc);
    if (!is_constant(s, c)) {
        report(s, c->loc, NOT_CONSTANT, "the value of a pattern is a constant");
        return pattern_bad(s, p->loc);
    }
    Ast *first = NULL;
    if (is_object(t)) {
        first = test_boxed(m, v, p, ct, fresh(s));
        if (first->type == s->error) return first;
    } else if (!convert_to(s, &c, want, "the pattern")) {
        return pattern_bad(s, p->loc);
    }
    Ast *operand = take(s, v), *n = pattern_nan(s, operand, op, c);
    if (!n) {
        n = tree_binary(s, p->loc, op, operand, c);
        binary_checked(s, n);
    }
    return pattern_both(s, first, n);
}

static Ast *match_of(Match *m, Subject *v, Ast *p)
{
    Sema *s = m->s;
    struct Ast_pattern_of *of = &p->pattern_of;
    if (of->positional && !of->target && v->tree->kind != AST_TUPLE &&
        is_object(pattern_type(s, v)))
        of->target = pattern_tuple_type(s, p);
    bool shape = of->positional || of->properties, narrows = m->narrows;
    Ast *cond = NULL;
    if (of->target && of->target->kind == AST_TYPE_VAR) return pattern_bind(m, v, p, of->name);
    if (of->target) {
        cond = test_type(m, v, p, of->target, of->name, shape || narrows);
    } else if (v->tree->kind != AST_TUPLE || of->properties || of->name) {
        const Type *t = pattern_type(s, v);
        if (t == s->error) return pattern_bad(s, p->loc);
        if (type_is_nullable(t)) cond = pattern_opposite(s, p->loc, pattern_null(m, v, p->loc));
    }
    if (cond && cond->type == s->error) return cond;
    if (of->positional) cond = pattern_both(s, cond, pattern_positional(m, v, p, &of->items));
    for (int i = 0; i < of->fields.len; i++) {
        Ast *field = of->fields.data[i];
        if (field->kind != AST_FIELD) continue;
        Subject part = pattern_member(s, v, field->loc, field->field.name);
        cond = pattern_both(s, cond, pattern_part(m, part, field));
    }
    if (of->name && !of->target) cond = pattern_both(s, cond, pattern_bind(m, v, p, of->name));
    return cond;
}

static Ast *match_words(Match *m, Subject *v, Ast *p)
{
    Sema *s = m->s;
    AstOp op = p->pattern.op;
    bool narrows = m->narrows, always = p == m->first;
    Ast *a, *b;
    if (op == AST_OP_NOT) {
        Subject same = *v;
        m->choices += !always;
        m->narrows = false;
        a = pattern_match(m, &same, p->pattern.right);
        m->narrows = narrows;
        m->choices -= !always;
        if (v->tree) v->type = same.type && same.tree == v->tree ? same.type : v->type;
        if (v->tree) v->checked = NULL;
        return a && a->type == s->error ? a : pattern_opposite(s, p->loc, a);
    }
    if (op == AST_OP_LAND) {
        m->narrows = true;
        a = pattern_match(m, v, p->pattern.left);
        m->narrows = narrows;
        b = pattern_match(m, v, p->pattern.right);
        return pattern_both(s, a, b);
    }
    Subject left = *v, right = {.tree = v->tree, .type = v->type};
    m->choices++;
    m->narrows = false;
    a = pattern_match(m, &left, p->pattern.left);
    b = pattern_match(m, &right, p->pattern.right);
    m->narrows = narrows;
    m->choices--;
    return either(s, p->loc, a, b);
}

/* Is the value of a T? null? */
static Ast *test_stored(Match *m, Subject *v, Ast *p)
{
    Sema *s = m->s;
    Subject has = pattern_member(s, v, p->loc, "HasValue");
    Ast *cond = take(s, &has);
    if (p->kind == AST_NULL_LIT) return pattern_opposite(s, p->loc, cond);
    *v = pattern_member(s, v, p->loc, "Stored");
    Ast *more = p->kind == AST_PATTERN_OF && p->pattern_of.properties && !p->pattern_of.name &&
                        !p->pattern_of.fields.len
                    ? NULL
                    : pattern_match(m, v, p);
    return pattern_both(s, cond, more);
}

/* Is a value asked for, and not what may be null? */
static bool asks_stored(const Ast *p)
{
    if (p->kind == AST_PATTERN) return !p->pattern.left && p->pattern.op != AST_OP_NOT;
    bool is_var = p->kind == AST_PATTERN_OF && p->pattern_of.target &&
                  p->pattern_of.target->kind == AST_TYPE_VAR;
    return p->kind != AST_PLACEHOLDER && p->kind != AST_BAD && !is_var;
}

/* The condition, checked; NULL: it always holds. */
Ast *pattern_match(Match *m, Subject *v, Ast *p)
{
    Sema *s = m->s;
    Ast *type;
    bool written = v->tree && v->tree->kind == AST_TUPLE;
    if (asks_stored(p) && !written && nullable_of(pattern_type(s, v))) return test_stored(m, v, p);
    switch (p->kind) {
    case AST_BAD: return pattern_bad(s, p->loc);
    case AST_PLACEHOLDER: return NULL;
    case AST_NULL_LIT: return pattern_null(m, v, p->loc);
    case AST_PATTERN_OF: return match_of(m, v, p);
    case AST_PATTERN_LIST: return pattern_list(m, v, p);
    case AST_PATTERN:
        if (!p->pattern.left && p->pattern.op != AST_OP_NOT)
            return pattern_constant(m, v, p, p->pattern.op, p->pattern.right);
        return match_words(m, v, p);
    default:
        type = named_type(s, p);
        return type ? test_type(m, v, p, type, NULL, m->narrows)
                    : pattern_constant(m, v, p, AST_OP_EQ, p);
    }
}

/* ---- value is pattern ------------------------------------------------------------------------ */

static bool parts_repeat(const Ast *tuple)
{
    for (int i = 0; i < tuple->tuple.items.len; i++) {
        const Ast *item = tuple->tuple.items.data[i];
        if (item->kind == AST_BINDER) item = item->binder.constraint;
        if (item && !is_repeatable(item)) return false;
    }
    return true;
}

/* $is(value), { return $value is pattern; }: what is a function is looked at point by point. */
static Ast *by_function(Sema *s, Ast *n, Ast *operand, const Type *t)
{
    AstList params = {0}, args = ast_list_add(s->arena, (AstList){0}, operand);
    Ast *type = type_node(s, n->loc, t), *is = ast_new(s->arena, AST_IS, n->loc);
    params = ast_list_add(s->arena, params, tree_param(s, n->loc, type, "$value"));
    is->is_.operand = tree_name(s, n->loc, "$value");
    is->is_.target = n->is_.target;
    Ast *call = local_block(s, "is", tree_block(s, n->loc, 1, tree_return(s, is)), params, args,
                            s->boolean);
    if (!call) return pattern_bad(s, n->loc);
    check_expr(s, &call, NULL);
    return call;
}

void check_is(Sema *s, Ast **slot)
{
    Ast *n = *slot, *operand = n->is_.operand, *p = n->is_.target, *held = NULL, *cond;
    Match m = {.s = s, .first = p};
    Subject v = pattern_subject(operand);
    bool repeats = s->functional ||
                   (operand->kind == AST_TUPLE ? parts_repeat(operand) : is_repeatable(operand));
    if (!repeats) {
        Ast *again = ast_clone(s->arena, operand);
        const Type *t = check_value(s, &operand, NULL);
        v = (Subject){.checked = operand, .type = t};
        if (t != s->error && (pattern_looks_again(p) || nullable_of(t))) {
            if (!nullable_of(t) && !pattern_takes_whole(p, t) && type_is_value(t->result)) {
                *slot = by_function(s, n, again, t->result);
                return;
            }
            held = pattern_hold(&m, &v, p);
        }
    }
    cond = pattern_both(s, held, pattern_match(&m, &v, p));
    for (int i = 0; i < m.named.len; i++)
        cond = pattern_both(s, cond, cell_pattern(s, m.named.data[i]->sym, n->loc));
    if (!cond) cond = truth(s, n->loc, true);
    if (cond->type == s->error) declare_rest(&n->is_.target, &m);
    if (cond->kind == AST_IS && n->loc.begin < cond->loc.begin) cond->loc = n->loc;
    *slot = cond;
}

bool is_plain_constant(Sema *s, const Ast *p)
{
    switch (p->kind) {
    case AST_PLACEHOLDER:
    case AST_PATTERN:
    case AST_PATTERN_OF:
    case AST_PATTERN_LIST:
    case AST_ARM: return false;
    default: return !named_type(s, p);
    }
}

static void find_declared(Ast **child, void *found)
{
    const Ast *p = *child;
    if (!p) return;
    bool named = (p->kind == AST_PATTERN_OF && p->pattern_of.name) ||
                 (p->kind == AST_PATTERN_LIST && p->pattern_list.name);
    if (named) *(bool *)found = true;
    ast_each_child((Ast *)(uintptr_t)p, find_declared, found);
}

bool pattern_takes_whole(const Ast *p, const Type *t)
{
    const Ast *target = p->kind == AST_PATTERN_OF ? p->pattern_of.target : NULL;
    if (!type_is_functional(t) || p->kind == AST_PATTERN_LIST) return true;
    if (p->kind == AST_PATTERN && p->pattern.left && pattern_takes_whole(p->pattern.left, t))
        return true;
    if (p->kind == AST_PATTERN && (p->pattern.left || p->pattern.op == AST_OP_NOT))
        return pattern_takes_whole(p->pattern.right, t);
    if (target) return target->kind == AST_TYPE_ARRAY || target->kind == AST_TYPE_FUNC;
    return p->kind == AST_PATTERN_OF && p->pattern_of.properties && t->result->kind == TY_SCALAR;
}

bool pattern_declares(const Ast *pattern)
{
    bool found = false;
    Ast *p = (Ast *)(uintptr_t)pattern;
    find_declared(&p, &found);
    return found;
}
