/* Expressions: literals, names, strings; the dispatch by kind. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- names ------------------------------------------------------------------------------ */

static void unbound(Sema *s, Ast *n)
{
    const char *name = n->name_ref.name;
    if (is_future(name) || name == s->defining || decl_is_top_variable(s, name)) {
        report_undeclared(s, n->loc, name, false);
        return;
    }
    for (size_t i = 0; i < s->unbound.len; i++)
        if (s->unbound.data[i] == name) return;
    if (!s->quiet) vec_push(&s->unbound, name);
    report(s, n->loc, UNBOUND, "'%s' is not declared, and nothing binds it as a variable here",
           name);
    const char *near = strlen(name) > 2 ? scope_nearest(s, name) : NULL;
    if (near) report_suggest(s, n->loc, name, near);
    if (s->defining)
        report_note(s, NOWHERE,
                    "add it to the parameters of '%s', or make a function of it: let(%s) ...",
                    s->defining, name);
    else
        report_note(s, NOWHERE, "let(%s) ... makes a function of it", name);
}

static void check_name(Sema *s, Ast **slot)
{
    if (member_unqualified(s, slot)) {
        check_member(s, slot);
        return;
    }
    Ast *n = *slot;
    n->type = s->error;
    Symbol *sym = scope_lookup(s, n->name_ref.name);
    n->sym = sym;
    if (!sym && is_operator_name(n)) {
        n->type = type_group(s->types, n->name_ref.name);
        return;
    }
    if (!sym) {
        if (s->index_depth)
            unbound(s, n);
        else
            report_undeclared(s, n->loc, n->name_ref.name, false);
        return;
    }
    switch (sym->kind) {
    case SYM_LOCAL:
    case SYM_PARAM:
    case SYM_BOUND: /* without a type: a copy that is peeked at before types are inferred */
        if (sym->type) n->type = sym->type;
        break;
    case SYM_CONST:
        if (!sym->type) decl_const(s, sym);
        n->type = sym->type;
        n->is_const = sym->type->kind == TY_SCALAR;
        n->value = sym->value;
        if (sym->made) *slot = ast_clone(s->arena, sym->made);
        break;
    case SYM_FIELD:
    case SYM_PROPERTY: break;
    case SYM_FUNC:
        if (sym->local && !local_plain(s, sym)) {
            local_value(s, slot);
            break;
        }
        if (sym->local) n->sym = sym = local_plain(s, sym);
        func_use(s, sym);
        if (sym->next || !sym->type) {
            n->type = type_group(s->types, sym->name);
        } else {
            n->type = sym->type;
            pure_value(s, sym, n, sym->type);
        }
        break;
    case SYM_BUILTIN: n->type = type_group(s->types, sym->name); break;
    case SYM_TYPE:
    case SYM_SPACE: break; /* check_value reports */
    }
}

const Type *settle_value(Sema *s, Ast **slot)
{
    const Ast *n = *slot;
    const Symbol *m = n->kind == AST_MEMBER && n->type->kind == TY_GROUP ? n->sym : NULL;
    if (m && m->kind == SYM_FUNC && !m->next && m->type) convert_to(s, slot, m->type, NULL);
    return require_value(s, *slot);
}

const Type *check_value(Sema *s, Ast **slot, const Type *hint)
{
    const Type *t = check_expr(s, slot, hint);
    if (t->kind == TY_GROUP && hint && type_is_functional(hint) &&
        convert_class(s, *slot, hint) != CONV_NONE)
        convert_to(s, slot, hint, NULL);
    return settle_value(s, slot);
}

const Type *check_converted(Sema *s, Ast **slot, const Type *type, const char *what)
{
    const Type *t = check_expr(s, slot, type);
    if (!type || !type_is_functional(type) || t->kind != TY_GROUP) t = settle_value(s, slot);
    if (t == s->error || !type) return t;
    convert_to(s, slot, type, what);
    return type;
}

const Type *require_value(Sema *s, Ast *n)
{
    if (n->kind == AST_NAME_REF && n->sym &&
        (n->sym->kind == SYM_TYPE || n->sym->kind == SYM_SPACE)) {
        report(s, n->loc, NOT_A_VALUE, "'%s' is a %s, not a value", n->name_ref.name,
               n->sym->kind == SYM_TYPE ? "type" : "class or namespace");
    } else if (n->type->kind == TY_GROUP) {
        report(s, n->loc, NOT_A_VALUE, "'%s' is overloaded: it is not a value here", n->type->name);
        report_note(s, NOWHERE, "call it, or choose an overload with a cast: (float(float)) %s",
                    n->type->name);
    } else if (n->type == s->voids) {
        report(s, n->loc, NOT_A_VALUE, "this call has no result");
    } else if (n->type->kind == TY_FUNC && n->type->nparams > FD_MAX_RANK) {
        report(s, n->loc, NOT_SUPPORTED,
               "a function of more than %d parameters is not a value: call it in a lambda of fewer",
               FD_MAX_RANK);
    } else {
        return n->type;
    }
    n->type = s->error;
    return n->type;
}

/* ---- strings ------------------------------------------------------------------- */

static void check_interp(Sema *s, Ast *n)
{
    n->type = s->string;
    for (int i = 0; i < n->interp.parts.len; i++) {
        Ast *part = n->interp.parts.data[i];
        part->type = s->string;
        if (part->kind == AST_HOLE) check_hole(s, part);
    }
}

/* ---- all kinds -------------------------------------------------------------------------- */

static void check_real(Sema *s, Ast *n)
{
    const char *suffix = n->real_lit.suffix;
    char c = suffix ? suffix[0] : 'd';
    ScalarKind k = c == 'f' || c == 'F' ? SC_FLOAT : c == 'h' || c == 'H' ? SC_HALF : SC_DOUBLE;
    n->type = type_scalar(s->types, k);
    n->value = scalar_convert((ScalarValue){.f = n->real_lit.value}, SC_DOUBLE, k);
    n->is_const = true;
}

void check_unknown(Sema *s, const Ast *n)
{
    const char *name = ast_kind_name(n->kind);
    report(s, n->loc, NOT_SUPPORTED, "'%.*s' is not supported yet", (int)strcspn(name, "_"), name);
}

static void check_kind(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    switch (n->kind) {
    case AST_INT_LIT: constant_literal(s, n, false); break;
    case AST_REAL_LIT: check_real(s, n); break;
    case AST_BOOL_LIT:
        n->type = s->boolean;
        n->value.i = n->bool_lit.value;
        n->is_const = true;
        break;
    case AST_CHAR_LIT:
        n->type = type_scalar(s->types, SC_CHAR);
        n->value.i = (int64_t)n->char_lit.value;
        n->is_const = true;
        break;
    case AST_STRING_LIT: n->type = s->string; break;
    case AST_INTERP: check_interp(s, n); break;
    case AST_NAME_REF:
        check_name(s, slot);
        n = *slot;
        if (n->kind == AST_NAME_REF && n->sym && n->sym->kind == SYM_FUNC &&
            n->type->kind == TY_FUNC && type_is_hosted(n->type))
            closure_function(s, slot);
        break;
    case AST_MEMBER: check_member(s, slot); break;
    case AST_UNARY:
        if (!index_value(s, slot, hint)) check_unary(s, n, hint);
        break;
    case AST_BINARY:
        if (n->binary.op == AST_OP_COALESCE && n->binary.left->kind == AST_COND_ACCESS)
            check_cond_access_or(s, slot, hint);
        else
            check_binary(s, n, hint);
        break;
    case AST_COND_ACCESS: check_cond_access(s, slot, hint); break;
    case AST_ASSIGN: check_assign(s, slot); break;
    case AST_INCDEC: check_incdec(s, slot); break;
    case AST_COND: check_cond(s, n, hint); break;
    case AST_CAST: check_cast(s, n); break;
    case AST_CALL: check_call(s, slot, hint); break;
    case AST_INDEX: check_index(s, slot); break;
    case AST_REDUCE: check_reduce(s, n); break;
    case AST_LET:
    case AST_LAMBDA: /* of a type that is wrong: nothing can be said */
        if (hint == s->error)
            n->type = hint;
        else
            check_function_expr(s, slot, hint);
        break;
    case AST_RANGE:
        if (!index_value(s, slot, hint)) check_range(s, n);
        break;
    case AST_NEW_ARRAY: check_new_array(s, n, hint); break;
    case AST_NEW: check_new(s, slot, hint); break;
    case AST_COLLECTION: check_collection(s, slot, hint); break;
    case AST_WITH: check_with(s, slot, hint); break;
    case AST_SWITCH_EXPR: check_switch_expr(s, slot, hint); break;
    case AST_TUPLE: check_tuple(s, slot, hint); break;
    case AST_THIS: check_this(s, n); break;
    case AST_BASE:
        check_this(s, n);
        report(s, n->loc, STATIC, "'base' stands only before a member");
        n->type = s->error;
        break;
    case AST_NULL_LIT: check_null(s, n); break;
    case AST_DEFAULT: check_default(s, n, hint); break;
    case AST_NAMEOF: check_nameof(s, slot); break;
    case AST_TYPEOF: check_typeof(s, slot); break;
    case AST_IS: check_is(s, slot); break;
    case AST_AS: check_as(s, n); break;
    case AST_INIT_LIST: check_init_list(s, n, hint ? hint : s->error, 0); break;
    case AST_PLACEHOLDER:
        report(s, n->loc, BINDER, "'_' leaves an argument of a call open: it is no value");
        note_last(s);
        break;
    case AST_DECL_EXPR:
        report(s, n->loc, ARGUMENT_MODE, "a variable is declared only behind out");
        break;
    case AST_THROW:
        check_throw(s, n);
        report(s, n->loc, NOT_A_VALUE,
               "throw stands for a value only behind ??, in a branch of ?: and behind =>");
        break;
    case AST_ATTRIBUTED: check_attributed(s, slot); break;
    case AST_BINDER:
        report(s, n->loc, BINDER, "only reductions, let and parameter lists bind variables");
        break;
    case AST_TYPE_NAME:
    case AST_TYPE_FUNC:
    case AST_TYPE_TUPLE:
    case AST_TYPE_ARRAY: report(s, n->loc, NOT_A_VALUE, "a type is not a value"); break;
    case AST_BAD: break; /* the parser has reported */
    default: check_unknown(s, n); break;
    }
}

const Type *check_expr(Sema *s, Ast **slot, const Type *hint)
{
    if ((*slot)->kind == AST_CONVERT || (*slot)->kind == AST_CLOSURE || (*slot)->settled)
        return (*slot)->type; /* checked by sema */
    (*slot)->type = s->error;
    check_kind(s, slot, hint);
    if ((*slot)->overflow == AST_OVERFLOW_THROWS) overflow_check(s, slot);
    return (*slot)->type;
}
