/* Arithmetic that throws where a result does not fit: of checked(..) and checked { .. }.
 *
 *     a + b       CheckedSum(a, b), a function of the library, where both are integers
 *     (byte) x    CheckedByte(x)
 *     a += b      a = (T) (a + b); so are ++, -- and >>>=, which has no operation of its own
 */
#include <string.h>

#include "check.h"

static bool is_integer(const Type *t)
{
    return type_is_numeric(t) && !scalar_is_real(t->scalar);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The library's function for operands of type t, which it takes as they are. */
static Symbol *function_of(Sema *s, const char *name, const Type *t)
{
    for (Symbol *f = scope_library(s, SYM_FUNC, name); f; f = f->next)
        if (f->kind == SYM_FUNC && f->type && f->type->params[0] == t) return f;
    return NULL;
}

static void call(Sema *s, Ast **slot, Symbol *f, AstList args)
{
    if (!f) return; /* there are errors in the library: it is being worked on */
    Ast *n = ast_new(s->arena, AST_CALL, (*slot)->loc);
    call_static(s, n, f, args);
    *slot = n;
}

static const char *name_of(AstOp op)
{
    switch (op) {
    case AST_OP_ADD: return "CheckedSum";
    case AST_OP_SUB: return "CheckedDifference";
    case AST_OP_MUL: return "CheckedProduct";
    case AST_OP_NEG: return "CheckedNegative";
    default: return NULL;
    }
}

/* Is the constant that was folded what the operation gives? In numbers of 64 bits. */
static bool is_exact(const Ast *n)
{
    bool binary = n->kind == AST_BINARY, sign = scalar_is_signed(n->type->scalar);
    int64_t x = binary ? n->binary.left->value.i : 0, r = 0;
    int64_t y = binary ? n->binary.right->value.i : n->unary.operand->value.i;
    uint64_t a = (uint64_t)x, b = (uint64_t)y, u = 0;
    switch (binary ? n->binary.op : AST_OP_SUB) {
    case AST_OP_ADD:
        if (sign ? __builtin_add_overflow(x, y, &r) : __builtin_add_overflow(a, b, &u))
            return false;
        break;
    case AST_OP_SUB:
        if (sign ? __builtin_sub_overflow(x, y, &r) : __builtin_sub_overflow(a, b, &u))
            return false;
        break;
    default:
        if (sign ? __builtin_mul_overflow(x, y, &r) : __builtin_mul_overflow(a, b, &u))
            return false;
        break;
    }
    return sign ? r == n->value.i : u == (uint64_t)n->value.i;
}

static void check_operation(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    AstOp op = n->kind == AST_BINARY ? n->binary.op : n->unary.op;
    const char *name = name_of(op);
    if (!name || !is_integer(result_of(n->type))) return;
    if (type_is_functional(n->type)) {
        report(s, n->loc, OPERANDS,
               "checked arithmetic is for numbers: of functions integers wrap");
        return;
    }
    if (n->is_const && !is_exact(n))
        report(s, n->loc, CONSTANT_VALUE, "the constant does not fit in '%s'",
               type_text(s->arena, n->type));
    if (n->is_const) return;
    AstList args = {0};
    if (n->kind == AST_BINARY) {
        args = ast_list_add(s->arena, args, n->binary.left);
        args = ast_list_add(s->arena, args, n->binary.right);
    } else {
        args = ast_list_add(s->arena, args, n->unary.operand);
    }
    call(s, slot, function_of(s, name, n->type), args);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* "CheckedUInt16" */
static const char *name_of_cast(Sema *s, ScalarKind to)
{
    static const char *const names[SC_COUNT] = {
        [SC_SBYTE] = "SByte",   [SC_BYTE] = "Byte",    [SC_SHORT] = "Int16",
        [SC_USHORT] = "UInt16", [SC_INT] = "Int32",    [SC_UINT] = "UInt32",
        [SC_LONG] = "Int64",    [SC_ULONG] = "UInt64", [SC_CHAR] = "Char"};
    return names[to] ? arena_printf(s->arena, "Checked%s", names[to]) : NULL;
}

static void check_conversion(Sema *s, Ast **slot)
{
    Ast *n = *slot, *e = n->cast.operand;
    if (!is_integer(n->type) || !type_is_numeric(e->type) || n->is_const) return;
    ScalarKind from = e->type->scalar, to = n->type->scalar;
    if (from == to || scalar_widens(from, to)) return;
    const char *name = name_of_cast(s, to);
    const Type *wide = scalar_is_real(from) ? s->real
                       : from == SC_ULONG   ? type_scalar(s->types, SC_ULONG)
                                            : s->longs;
    Symbol *f = name ? function_of(s, name, wide) : NULL;
    AstList args = ast_list_add(s->arena, (AstList){0}, e);
    if (f && convert_to(s, &args.data[0], wide, NULL)) call(s, slot, f, args);
}

void overflow_check(Sema *s, Ast **slot)
{
    if ((*slot)->type == s->error || (*slot)->settled) return;
    if ((*slot)->kind == AST_BINARY || (*slot)->kind == AST_UNARY) check_operation(s, slot);
    if ((*slot)->kind == AST_CAST) check_conversion(s, slot);
}

/* ---- assignments ----------------------------------------------------------------------------- */

static Ast *said(Ast *n, AstOverflow what)
{
    n->overflow = what;
    return n;
}

/* target = (T) (target op value), all of it with the same said of it; NULL: the place is not to be found twice. */
static Ast *written_out(Sema *s, const Ast *n, AstOp op, Ast *target, Ast *value)
{
    const Type *t = peek_type(s, target);
    if (!is_integer(t) || !is_repeatable(target)) return NULL;
    Ast *sum = said(tree_binary(s, n->loc, op, ast_clone(s->arena, target), value), n->overflow);
    sum = said(tree_cast(s, n->loc, type_node(s, n->loc, t), sum), n->overflow);
    return tree_assign(s, n->loc, target, sum)->expr_stmt.expr;
}

static bool is_counted(const Ast *n)
{
    if (n->kind == AST_ASSIGN && n->assign.op == AST_OP_USHR) return true;
    if (n->overflow != AST_OVERFLOW_THROWS) return false;
    return n->kind == AST_INCDEC || (n->assign.op != AST_OP_NONE && name_of(n->assign.op));
}

void overflow_expand(Sema *s, Ast **slot)
{
    Ast *n = *slot, *all;
    if (!is_counted(n)) return;
    if (n->kind == AST_ASSIGN) {
        all = written_out(s, n, n->assign.op, n->assign.target, n->assign.value);
    } else {
        all = written_out(s, n, n->incdec.op, n->incdec.target, tree_int(s, n->loc, 1));
        if (all && n->incdec.postfix) { /* what it was before */
            AstOp back = n->incdec.op == AST_OP_ADD ? AST_OP_SUB : AST_OP_ADD;
            const Type *t = peek_type(s, n->incdec.target);
            Ast *old = tree_binary(s, n->loc, back, all, tree_int(s, n->loc, 1));
            all = tree_cast(s, n->loc, type_node(s, n->loc, t), old);
        }
    }
    if (all) *slot = all;
    if (all || !is_integer(peek_type(s, ast_target(n)))) return;
    report(s, n->loc, NOT_ASSIGNABLE,
           "the place is found twice here: put what is in its brackets into a variable first");
    n->kind = AST_BAD;
    n->type = s->error;
}
