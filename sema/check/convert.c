/* Implicit conversions: which exist, and the nodes that make them explicit.
 * Numbers as in C#; arrays are functions; functions convert by their result; an array type
 * evaluates.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

const Type *result_of(const Type *t)
{
    return type_is_functional(t) ? t->result : t;
}

bool is_printable(const Type *t)
{
    if (type_is_functional(t)) t = t->result;
    while (t->kind == TY_ARRAY) t = t->result; /* of arrays */
    return type_is_value(t) || t->kind == TY_STRING || t->kind == TY_OBJECT;
}

/* ---- real literals ---------------------------------------------------------------------- */

static bool arithmetic(AstOp op)
{
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || op == AST_OP_DIV ||
           op == AST_OP_REM;
}

static bool is_integral(const Type *t)
{
    return type_is_numeric(t) && !scalar_is_real(t->scalar);
}

/* A literal, or operators over such literals and integers: `i * 0.5` is a float where a float is
 * wanted. */
static bool adapts(const Ast *e, bool *real)
{
    switch (e->kind) {
    case AST_REAL_LIT: *real = true; return e->real_lit.suffix == NULL;
    case AST_INT_LIT: return true;
    case AST_CONVERT: return is_integral(e->convert.operand->type);
    case AST_UNARY: return e->unary.op == AST_OP_NEG && adapts(e->unary.operand, real);
    case AST_BINARY:
        return arithmetic(e->binary.op) && e->res == AST_RES_NONE && adapts(e->binary.left, real) &&
               adapts(e->binary.right, real);
    case AST_COND:
        return e->res == AST_RES_NONE && adapts(e->cond.then, real) && adapts(e->cond.other, real);
    default: return false;
    }
}

bool literal_adapts(const Ast *e)
{
    bool real = false;
    return type_is_scalar(e->type, SC_DOUBLE) && adapts(e, &real) && real;
}

/* `to` is a real scalar type. Integers below an operator were converted to double. */
void literal_retype(Sema *s, Ast *e, const Type *to)
{
    switch (e->kind) {
    case AST_UNARY: literal_retype(s, e->unary.operand, to); break;
    case AST_BINARY:
        if (!type_is_scalar(e->binary.left->type, SC_DOUBLE)) return; /* integers stay integers */
        literal_retype(s, e->binary.left, to);
        literal_retype(s, e->binary.right, to);
        break;
    case AST_COND:
        literal_retype(s, e->cond.then, to);
        literal_retype(s, e->cond.other, to);
        break;
    case AST_CONVERT:
        e->value =
            scalar_convert(e->convert.operand->value, e->convert.operand->type->scalar, to->scalar);
        break;
    default: e->value = scalar_convert(e->value, SC_DOUBLE, to->scalar); break;
    }
    e->type = to;
    if (e->kind == AST_UNARY || e->kind == AST_BINARY || e->kind == AST_COND) constant_fold(e);
}

/* ---- which conversions exist ------------------------------------------------------------ */

/* What the conversion of one type to another is, whatever the expression. */
static Conv conversion(const Type *from, const Type *to);

static bool takes_all(const Type *f, const Type *to);

/* A string is a reference in C#, so functions vary with it; here it is put into an object. */
static bool text_as_object(const Type *from, const Type *to)
{
    return from->kind == TY_STRING && class_of(to) && class_is_object(class_of(to));
}

static Conv function_class(const Type *from, const Type *to)
{
    bool other = to->kind == TY_FUNC && from->kind == TY_FUNC && !type_same_params(from, to);
    bool text =
        to->kind == TY_FUNC && from->kind == TY_FUNC && text_as_object(from->result, to->result);
    if (other && takes_all(from, to))
        return text || conversion(from->result, to->result) != CONV_NONE ? CONV_WIDEN : CONV_NONE;
    if (!other && text) return CONV_WIDEN;
    if (!type_same_params(from, to)) return CONV_NONE;
    if (to->kind == TY_ARRAY && !type_is_value(to->result)) /* the library does it */
        return from->result == to->result && to->nparams == 1 ? CONV_EVAL : CONV_NONE;
    Conv c = conversion(from->result, to->result);
    if (c == CONV_NONE) return CONV_NONE;
    if (to->kind == TY_ARRAY) return CONV_EVAL;
    return c == CONV_SAME || c == CONV_FUNC ? CONV_FUNC : CONV_WIDEN;
}

/* To a base, null to a reference, an object to the function that its class derives from. */
static Conv class_conversion(const Type *from, const Type *to)
{
    const Class *a = class_of(from), *b = class_of(to);
    if (from->kind == TY_NULL) return type_is_nullable(to) ? CONV_WIDEN : CONV_NONE;
    if (a && b && from->kind == TY_OBJECT && to->kind == TY_OBJECT)
        return class_is(a, b) || class_is_object(b) ? CONV_WIDEN : CONV_NONE;
    if (!a || !a->function || !type_is_functional(to)) return CONV_NONE;
    Conv c = conversion(a->function, to);
    return c == CONV_SAME ? CONV_FUNC : c;
}

static Conv conversion(const Type *from, const Type *to)
{
    if (from == to) return CONV_SAME;
    if (from->kind == TY_SCALAR && to->kind == TY_SCALAR)
        return !from->decl && !to->decl && scalar_widens(from->scalar, to->scalar) ? CONV_WIDEN
                                                                                   : CONV_NONE;
    if (type_is_functional(from) && type_is_functional(to)) return function_class(from, to);
    return class_conversion(from, to);
}

/* The same of a value: constants and literals convert to more. */
static Conv value_class(const Ast *e, const Type *from, const Type *to)
{
    Conv c = conversion(from, to);
    if (c != CONV_NONE || !e || e->type != from || to->kind != TY_SCALAR) return c;
    if (to->decl) /* 0 is a value of every enum */
        return e->is_const && type_is_scalar(from, SC_INT) && e->value.i == 0 ? CONV_WIDEN : c;
    if (constant_fits(e, to->scalar)) return CONV_WIDEN;
    if (scalar_is_real(to->scalar) && literal_adapts(e)) return CONV_LITERAL;
    return CONV_NONE;
}

/* Does a function that takes such a parameter stand for one that is given the other? Every object of
 * a class is one of its base. */
static bool takes(const Type *param, const Type *given)
{
    return param == given || text_as_object(given, param) ||
           (given->kind == TY_OBJECT && param->kind == TY_OBJECT &&
            conversion(given, param) != CONV_NONE);
}

static bool takes_all(const Type *f, const Type *to)
{
    if (f->nparams != to->nparams) return false;
    for (int i = 0; i < f->nparams; i++)
        if (!takes(f->params[i], to->params[i])) return false;
    return true;
}

/* The overload of a group that is the functional type `to`: parameters that take what it is given,
 * best the same ones, a result that converts. */
static Symbol *group_member(Sema *s, const Ast *e, const Type *to, const Type **type)
{
    Candidates set = {0};
    if (e->sym && e->sym->kind == SYM_FUNC) set = candidates_of_user(s, e->sym);
    if (e->sym && e->sym->kind == SYM_BUILTIN)
        set = candidates_of_library(s, e->sym->builtin, false);
    Symbol *found = NULL;
    bool exactly = false;
    for (int i = 0; i < set.len; i++) {
        Candidate *c = &set.data[i];
        if (c->sym->kind == SYM_FUNC && c->sym->generic && c->nparams == to->nparams) {
            Symbol *f = generic_value(s, c->sym, to, e->loc);
            Candidates one = {.data = c};
            if (f) candidates_add(&one, f);
        }
        if (!c->result || c->nparams != to->nparams) continue;
        bool fits = conversion(c->result, to->result) != CONV_NONE, same = true;
        for (int p = 0; p < c->nparams && fits; p++) {
            bool text = c->letters[p] == '*';
            fits = text ? is_printable(to->params[p])
                        : c->params[p] && (takes(c->params[p], to->params[p]) ||
                                           sequence_fits(s, to->params[p], c->params[p]));
            same = same && (text || c->params[p] == to->params[p]);
        }
        if (!fits || (found && (exactly > same || (exactly == same && c->result != to->result))))
            continue;
        found = c->sym;
        exactly = same;
        *type = type_func(s->types, c->result, c->nparams, same ? to->params : c->params);
    }
    return found;
}

/* The implicit conversion that a class declares, of values or of results of functions; or NULL. */
static Symbol *by_user(Sema *s, const Type *from, const Type *to)
{
    bool functions = type_is_functional(from) && type_is_functional(to);
    if (functions && !type_same_params(from, to)) return NULL;
    return functions ? user_conversion(s, from->result, to->result, false)
                     : user_conversion(s, from, to, false);
}

Conv convert_class(Sema *s, const Ast *e, const Type *to)
{
    const Type *from = e->type;
    if (from == s->error || to == s->error) return CONV_SAME;
    if (from == to) return CONV_SAME;
    if (nullable_converts(s, e, to)) return CONV_USER;
    if (from->kind != TY_GROUP) {
        Conv c = value_class(e, from, to);
        bool user = c == CONV_NONE && (by_user(s, from, to) || sequence_fits(s, from, to));
        return user ? CONV_USER : c;
    }
    const Type *t;
    if (!type_is_functional(to)) return CONV_NONE;
    bool some = is_operator_name(e) ? operator_fits(s, e, to) : group_member(s, e, to, &t) != NULL;
    return some ? CONV_GROUP : CONV_NONE;
}

Conv convert_result_class(Sema *s, const Ast *e, const Type *to)
{
    if (e->type == s->error || to == s->error) return CONV_SAME;
    if (nullable_converts(s, e, to)) return CONV_USER;
    Conv c = value_class(e, result_of(e->type), to);
    return c == CONV_NONE && user_conversion(s, result_of(e->type), to, false) ? CONV_USER : c;
}

const Type *common_numeric(Sema *s, const Type *a, const Type *b)
{
    if (!type_is_numeric(a) || !type_is_numeric(b)) return NULL;
    ScalarKind x = a->scalar, y = b->scalar;
    if (x == SC_DOUBLE || y == SC_DOUBLE) return s->real;
    if (x == SC_FLOAT || y == SC_FLOAT) return type_scalar(s->types, SC_FLOAT);
    if (x == SC_HALF || y == SC_HALF) return type_scalar(s->types, SC_HALF);
    if (x == SC_ULONG || y == SC_ULONG) {
        ScalarKind other = x == SC_ULONG ? y : x;
        return scalar_is_signed(other) ? NULL : type_scalar(s->types, SC_ULONG);
    }
    if (x == SC_LONG || y == SC_LONG) return s->longs;
    if (x == SC_UINT || y == SC_UINT) {
        ScalarKind other = x == SC_UINT ? y : x;
        return scalar_is_signed(other) ? s->longs : type_scalar(s->types, SC_UINT);
    }
    return s->integer;
}

/* ---- making them ------------------------------------------------------------------------ */

void convert_wrap(Sema *s, Ast **slot, const Type *to)
{
    Ast *e = *slot;
    Ast *n = ast_new(s->arena, AST_CONVERT, e->loc);
    n->convert.operand = e;
    n->type = to;
    if (e->is_const && e->type->kind == TY_SCALAR && to->kind == TY_SCALAR) {
        n->is_const = true;
        n->value = scalar_convert(e->value, e->type->scalar, to->scalar);
    }
    *slot = n;
}

/* Is it, or does it implement, another instance of the interface? */
static bool varies(const Type *from, const Type *to)
{
    const Class *c = class_of(from), *i = class_of(to);
    if (!c || !i || !i->sym->instance || !class_is_interface(i)) return false;
    bool found = c->sym->instance && c->sym->instance->of == i->sym->instance->of;
    for (int k = 0; k < c->ninterfaces; k++) {
        const Instance *other = c->interfaces[k]->sym->instance;
        found = found || (other && other->of == i->sym->instance->of);
    }
    return found;
}

static void report_conversion(Sema *s, const Ast *e, const Type *to, const char *what)
{
    const char *from_text = type_text(s->arena, e->type), *to_text = type_text(s->arena, to);
    const char *prefix = what ? arena_printf(s->arena, "%s: ", what) : "";
    if (e->type->kind == TY_NULL)
        report(s, e->loc, NEVER_NULL, "%sa '%s' is never null", prefix, to_text);
    else if (e->type->kind == TY_GROUP)
        report(s, e->loc, CONVERSION, "%sno overload of '%s' is a '%s'", prefix, from_text,
               to_text);
    else
        report(s, e->loc, CONVERSION, "%scannot convert '%s' to '%s'", prefix, from_text, to_text);
    const Type *from = e->type;
    if (nullable_of(from) && !nullable_of(to))
        report_note(s, NOWHERE,
                    "say what stands for null, x ?? ..., or take it to have a value, x.Value");
    else if (type_is_functional(from) && type_is_scalar(to, SC_BOOL) &&
             type_is_scalar(from->result, SC_BOOL))
        report_note(s, NOWHERE, "all(...) or any(...) makes one bool of a function of bools");
    else if (type_is_functional(from) && to->kind == TY_SCALAR)
        report_note(s, NOWHERE, "apply it to arguments, or reduce it: sum(...), max(...)");
    else if (to == s->string && is_printable(from))
        report_note(s, NOWHERE, "write $\"{...}\", or use ToString()");
    else if (from->kind == TY_SCALAR && to->kind == TY_SCALAR && type_is_numeric(from) &&
             type_is_numeric(to))
        report_note(s, NOWHERE, "a cast does: (%s)", to_text);
    else if (type_is_functional(from) && type_is_functional(to) && type_same_params(from, to) &&
             type_is_numeric(from->result) && type_is_numeric(to->result))
        report_note(s, NOWHERE, "a cast converts the elements: (%s)",
                    type_text(s->arena, to->result));
    else if (from == s->string && to->kind == TY_SCALAR && to->scalar != SC_CHAR && !to->decl)
        report_note(s, NOWHERE, "%s.Parse(...) reads a number from a string", to_text);
    else if (varies(from, to))
        report_note(s, NOWHERE,
                    "type arguments vary where an interface only gives or only takes them: "
                    "implement '%s', too",
                    to_text);
    else if (object_cast_exists(from, to) ||
             (from->kind == TY_SCALAR && to->kind == TY_SCALAR && (from->decl || to->decl)) ||
             user_conversion(s, from, to, true))
        report_note(s, NOWHERE, "a cast does: (%s)", to_text);
}

bool call_library(Sema *s, Ast **slot, const char *name)
{
    Loc loc = (*slot)->loc;
    Symbol *f = scope_library(s, SYM_FUNC, name);
    if (!f) return false; /* there are errors in the library: it is being worked on */
    AstList args = ast_list_add(s->arena, (AstList){0}, *slot);
    Candidates set = generic_candidates(s, candidates_of_user(s, f), args, loc);
    if (!set.len || !convert_to(s, &args.data[0], set.data[0].params[0], NULL)) return false;
    Ast *n = ast_new(s->arena, AST_CALL, loc);
    call_static(s, n, set.data[0].sym, args);
    *slot = n;
    return true;
}

/* A function that gives objects where one is asked for that gives their base, or takes objects where
 * one is asked for that takes derived ones. */
static bool converts_objects(const Ast *f, const Type *to)
{
    if (to->kind != TY_FUNC || f->type->kind != TY_FUNC) return false;
    return !type_same_params(f->type, to) ||
           (to->result->kind == TY_OBJECT && f->type->result != to->result);
}

/* A null array is the default of its type. */
static bool null_array(Sema *s, Ast **slot, const Type *to)
{
    Ast *n = ast_new(s->arena, AST_DEFAULT, (*slot)->loc);
    n->default_.target = type_node(s, n->loc, to);
    check_default(s, n, to);
    *slot = n;
    return n->type == to;
}

bool convert_to(Sema *s, Ast **slot, const Type *to, const char *what)
{
    Ast *e = *slot;
    switch (convert_class(s, e, to)) {
    case CONV_SAME: return true;
    case CONV_NONE:
        report_conversion(s, e, to, what);
        e->type = s->error;
        return false;
    case CONV_USER:
        if (sequence_fits(s, e->type, to)) return sequence_convert(s, slot, to, what);
        if (nullable_converts(s, e, to)) return nullable_convert(s, slot, to);
        if (to->kind == TY_ARRAY && to->nparams == 1 && e->type->nparams == 1 &&
            (type_is_hosted(to) || type_is_hosted(e->type)))
            return sequence_convert_elements(s, slot, to);
        user_convert(s, slot, by_user(s, e->type, to));
        return (*slot)->type == to || convert_to(s, slot, to, what);
    case CONV_LITERAL: literal_retype(s, e, to); return true;
    case CONV_GROUP: {
        const Type *t = NULL;
        if (is_operator_name(e)) return operator_value(s, slot, to);
        if (e->kind == AST_MEMBER && e->sym->kind == SYM_FUNC)
            return method_value(s, slot, group_member(s, e, to, &t), to);
        e->sym = group_member(s, e, to, &t);
        e->type = t;
        if (e->sym->kind == SYM_FUNC) func_use(s, e->sym);
        pure_value(s, e->sym, e, t);
        bool library = e->sym->kind == SYM_BUILTIN,
             hosted = library && builtin_is_hosted(&builtins[e->sym->builtin]);
        if (hosted || !type_same_params(t, to) ||
            (type_is_hosted(t) && (library || t->result != to->result))) {
            *slot = call_lambda(s, e, to);
            check_expr(s, slot, to);
        } else if (type_is_hosted(t)) {
            closure_function(s, slot);
        }
        return convert_to(s, slot, to, what);
    }
    case CONV_EVAL: /* elements first, then one evaluation */
        object_function(s, slot);
        e = *slot;
        if (!type_is_value(to->result)) return call_library(s, slot, "StoredOf");
        if (e->type->result != to->result)
            convert_wrap(s, slot,
                         type_func(s->types, to->result, e->type->nparams, e->type->params));
        convert_wrap(s, slot, to);
        return true;
    case CONV_WIDEN:
    case CONV_FUNC:
        if (e->type->kind == TY_NULL && to->kind == TY_ARRAY) return null_array(s, slot, to);
        if (type_is_scalar(to, SC_LONG) && total_widens(s, e)) return true;
        if (type_is_functional(to) && object_function(s, slot) == to) return true;
        if (converts_objects(*slot, to)) {
            *slot = call_lambda(s, *slot, to);
            check_expr(s, slot, to);
            return (*slot)->type == to;
        }
        struct_held(s, *slot, to);
        convert_wrap(s, slot, to);
        type_use(s, to);
        return true;
    }
    return false;
}

bool convert_result(Sema *s, Ast **slot, const Type *to, const char *what)
{
    const Type *t = (*slot)->type;
    if (!type_is_functional(t)) return convert_to(s, slot, to, what);
    if (t->result == to) return true;
    return convert_to(s, slot, type_func(s->types, to, t->nparams, t->params), what);
}

bool value_text(Sema *s, Ast **slot)
{
    const Type *t = (*slot)->type;
    Symbol *f = NULL;
    if (type_is_functional(t) && type_is_enum(t->result) && enum_array_text(s, slot)) {
        convert_wrap(s, slot, s->string);
        return true;
    }
    Ast *n = ast_new(s->arena, AST_CALL, (*slot)->loc);
    if (type_is_record(t)) {
        f = class_of(t)->slots[0];
        if (!f)
            report(s, n->loc, CONVERSION, "a value of type '%s' has no text", t->name);
        else
            call_method(s, n, f, *slot, (AstList){0});
    } else if (type_is_enum(t)) {
        f = enum_text(s, t);
        call_static(s, n, f, ast_list_add(s->arena, (AstList){0}, *slot));
    }
    if (f) *slot = n;
    return f != NULL;
}

bool unprintable(Sema *s, Ast **slot)
{
    const Type *t = (*slot)->type;
    if (is_printable(t)) return false;
    const char *name = type_text(s->arena, t);
    if (s->instance) {
        Ast *text = ast_new(s->arena, AST_STRING_LIT, (*slot)->loc);
        text->string_lit.value = (AstBytes){name, strlen(name)};
        text->type = s->string;
        *slot = text;
    } else {
        report(s, (*slot)->loc, CONVERSION, "a value of type '%s' has no text", name);
        (*slot)->type = s->error;
    }
    return true;
}

void convert_string(Sema *s, Ast **slot)
{
    const Type *t = (*slot)->type;
    if (t == s->error || t == s->string) return;
    if (t->kind == TY_NULL) {
        convert_to(s, slot, s->string, NULL);
        return;
    }
    if (unprintable(s, slot) || value_text(s, slot)) return;
    convert_wrap(s, slot, s->string);
}
