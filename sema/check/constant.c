/* Constant expressions: values of literals, and folding of operations over constants with the
 * operation table, so that a constant is what the program would compute.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

/* Integer literals take the first type that holds them, as in C#. `negated`: under a unary minus,
 * which makes 2147483648 and 9223372036854775808 legal. */
void constant_literal(Sema *s, Ast *n, bool negated)
{
    const char *suffix = n->int_lit.suffix ? n->int_lit.suffix : "";
    uint64_t v = n->int_lit.value;
    bool u = strpbrk(suffix, "uU") != NULL, l = strpbrk(suffix, "lL") != NULL;
    ScalarKind k;
    if (strpbrk(suffix, "fF") || strpbrk(suffix, "dD") || strpbrk(suffix, "hH")) {
        k = strpbrk(suffix, "fF") ? SC_FLOAT : strpbrk(suffix, "dD") ? SC_DOUBLE : SC_HALF;
        n->value = scalar_convert((ScalarValue){.i = (int64_t)v}, SC_ULONG, k);
    } else {
        uint64_t int_max = (uint64_t)INT32_MAX + negated, long_max = (uint64_t)INT64_MAX + negated;
        if (!u && !l && v <= int_max)
            k = SC_INT;
        else if (!l && v <= UINT32_MAX)
            k = SC_UINT;
        else if (!u && v <= long_max)
            k = SC_LONG;
        else
            k = SC_ULONG;
        n->value.i = k == SC_INT ? (int64_t)(int32_t)v : (int64_t)v;
    }
    n->type = type_scalar(s->types, k);
    n->is_const = true;
}

bool constant_fits(const Ast *e, ScalarKind to)
{
    if (!e->is_const || e->type->kind != TY_SCALAR || e->type->decl) return false;
    ScalarKind from = e->type->scalar;
    if (!scalar_is_integer(to)) return false;
    if (from == SC_LONG) return to == SC_ULONG && e->value.i >= 0;
    if (from != SC_INT) return false;
    ScalarValue v = scalar_convert(e->value, from, to);
    return v.i == e->value.i && (scalar_is_signed(to) || e->value.i >= 0);
}

FdOp sema_op(AstOp op)
{
    switch (op) {
    case AST_OP_ADD: return FD_OP_ADD;
    case AST_OP_SUB: return FD_OP_SUB;
    case AST_OP_MUL: return FD_OP_MUL;
    case AST_OP_DIV: return FD_OP_DIV;
    case AST_OP_REM: return FD_OP_REM;
    case AST_OP_AND: return FD_OP_BITAND;
    case AST_OP_OR: return FD_OP_BITOR;
    case AST_OP_XOR: return FD_OP_BITXOR;
    case AST_OP_SHL: return FD_OP_SHL;
    case AST_OP_SHR: return FD_OP_SHR;
    case AST_OP_EQ: return FD_OP_EQ;
    case AST_OP_NE: return FD_OP_NE;
    case AST_OP_LT: return FD_OP_LT;
    case AST_OP_LE: return FD_OP_LE;
    case AST_OP_GT: return FD_OP_GT;
    case AST_OP_GE: return FD_OP_GE;
    case AST_OP_LAND: return FD_OP_LAND;
    case AST_OP_LOR: return FD_OP_LOR;
    case AST_OP_NEG: return FD_OP_NEG;
    case AST_OP_NOT: return FD_OP_LNOT;
    case AST_OP_BITNOT: return FD_OP_BITNOT;
    default: return FD_OP_NONE;
    }
}

static bool scalar_const(const Ast *n)
{
    return n->is_const && n->type->kind == TY_SCALAR;
}

static void fold(Ast *n, FdOp op, const Ast *a, const Ast *b)
{
    ScalarValue args[2] = {a->value, b ? b->value : a->value};
    n->is_const = fd_op_eval(op, a->type->scalar, n->type->scalar, args, &n->value) == FD_EVAL_OK;
}

/* Builtins that are constants: Math.PI, int.MaxValue and so on. */
bool constant_builtin(int row, ScalarValue *out)
{
    const Builtin *b = &builtins[row];
    if (b->runtime != ABI_NONE) return false;
    if (b->space == SPACE_Math) {
        static const double pi = 3.14159265358979323846, e = 2.71828182845904523536;
        if (b->signature[0] != '=') return false;
        out->f = b->name == LIB_PI ? pi : b->name == LIB_E ? e : 2 * pi;
        return true;
    }
    if (b->space >= (int)SC_COUNT) return false;
    ScalarKind k = (ScalarKind)b->space;
    if (scalar_is_real(k)) {
        double max = k == SC_DOUBLE ? DBL_MAX : k == SC_FLOAT ? (double)FLT_MAX : 65504.0;
        double tiny = k == SC_DOUBLE ? 0x1p-1074 : k == SC_FLOAT ? 0x1p-149 : 0x1p-24;
        switch (b->name) {
        case LIB_MaxValue: out->f = max; break;
        case LIB_MinValue: out->f = -max; break;
        case LIB_PositiveInfinity: out->f = (double)INFINITY; break;
        case LIB_NegativeInfinity: out->f = -(double)INFINITY; break;
        case LIB_NaN: out->f = (double)NAN; break;
        default: out->f = tiny; break;
        }
        return true;
    }
    unsigned bits = (unsigned)scalar_bytes(k) * 8;
    bool max = b->name == LIB_MaxValue;
    if (scalar_is_signed(k))
        out->i =
            max ? (int64_t)(UINT64_MAX >> (65 - bits)) : -(int64_t)(UINT64_MAX >> (65 - bits)) - 1;
    else
        out->i = !max ? 0 : k == SC_CHAR ? 0x10FFFF : (int64_t)(UINT64_MAX >> (64 - bits));
    return true;
}

void constant_fold(Ast *n)
{
    n->is_const = false;
    if (n->type->kind != TY_SCALAR || n->res != AST_RES_NONE) return;
    switch (n->kind) {
    case AST_UNARY:
        if (scalar_const(n->unary.operand)) fold(n, sema_op(n->unary.op), n->unary.operand, NULL);
        break;
    case AST_BINARY:
        if (scalar_const(n->binary.left) && scalar_const(n->binary.right))
            fold(n, sema_op(n->binary.op), n->binary.left, n->binary.right);
        break;
    case AST_COND:
        if (scalar_const(n->cond.cond) && scalar_const(n->cond.then) &&
            scalar_const(n->cond.other)) {
            n->is_const = true;
            n->value = n->cond.cond->value.i ? n->cond.then->value : n->cond.other->value;
        }
        break;
    case AST_CAST:
        if (scalar_const(n->cast.operand)) {
            n->is_const = true;
            n->value = scalar_convert(n->cast.operand->value, n->cast.operand->type->scalar,
                                      n->type->scalar);
        }
        break;
    default: break;
    }
}

bool constant_decimal(const Ast *n)
{
    while (n->kind == AST_CONVERT && !n->is_const) n = n->convert.operand;
    const Class *c = n->type ? class_of(n->type) : NULL;
    if (n->is_const) return n->type->kind == TY_SCALAR;
    if (!c || !c->sym->library || strcmp(c->sym->name, "decimal") != 0) return false;
    bool own = n->kind == AST_NEW || (n->kind == AST_CALL && n->sym && n->sym->cls == c);
    const AstList *args = n->kind == AST_NEW ? &n->new_.args : &n->call.args;
    for (int i = 0; own && i < args->len; i++) own = constant_decimal(args->data[i]);
    return own && args->len;
}

bool constant_text(Sema *s, const Ast *n, AstBytes *out)
{
    if (n->kind == AST_STRING_LIT) {
        *out = n->string_lit.value;
        if (!out->data) out->data = ""; /* no data: null */
        return true;
    }
    bool named = n->kind == AST_NAME_REF || n->kind == AST_MEMBER;
    if (named && n->sym && n->sym->kind == SYM_CONST && n->type == s->string) {
        *out = n->sym->text;
        return true;
    }
    AstBytes a, b;
    if (n->kind != AST_BINARY || n->binary.op != AST_OP_ADD || n->type != s->string ||
        !constant_text(s, n->binary.left, &a) || !constant_text(s, n->binary.right, &b))
        return false;
    char *bytes = arena_alloc(s->arena, a.len + b.len + 1);
    if (a.len) memcpy(bytes, a.data, a.len);
    if (b.len) memcpy(bytes + a.len, b.data, b.len);
    *out = (AstBytes){bytes, a.len + b.len};
    return true;
}
