/* The OpenCL C printer: expressions of kernel IR to text. Operations whose OpenCL meaning differs
 * from the language's (integer overflow, division, conversions, masks of vectors) are spelled out
 * here or in prelude.c. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/internal.h"
#include "opencl.h"

/* ---- types --------------------------------------------------------------------------------- */

static bool is_real(int kind)
{
    return kind < SC_COUNT && scalar_is_real((ScalarKind)kind);
}

static bool is_signed_int(int kind)
{
    return kind == SC_INT || kind == SC_LONG;
}

/* The C type of a value (not of storage): bool is int, half is float. */
static const char *value_name(int kind)
{
    if (kind == KIR_IDX) return "idx_t";
    if (kind == SC_BOOL) return "int";
    if (kind == SC_HALF) return "float";
    return scalar_cl_name((ScalarKind)kind);
}

static size_t value_bytes(int kind)
{
    if (kind == SC_BOOL || kind == SC_HALF || kind == KIR_IDX) return 4;
    return scalar_bytes((ScalarKind)kind);
}

static void print_type_name(Text *out, const char *name, int lanes)
{
    if (lanes < 0)
        text_printf(out, "VEC(%s, V%d)", name, -lanes);
    else if (lanes == 1)
        text_add(out, name);
    else
        text_printf(out, "%s%d", name, lanes);
}

void opencl_type(Text *out, KirType t)
{
    if (t.kind == KIR_RECORD)
        text_add(out, t.record->name);
    else
        print_type_name(out, value_name(t.kind), t.lanes);
}

/* Vectors that may have 32 or 64 lanes: OpenCL's functions know none of them, the prelude has what is
 * needed. */
static bool is_long(int lanes)
{
    return lanes == KIR_V1 || lanes == KIR_V2;
}

void opencl_typed(Text *out, const char *prefix, const char *type, int lanes, const char *suffix)
{
    if (lanes < 0)
        text_printf(out, *suffix ? "CAT3(%s%s, V%d, %s)" : "CAT(%s%s, V%d)", prefix, type, -lanes,
                    suffix);
    else if (lanes == 1)
        text_printf(out, "%s%s%s", prefix, type, suffix);
    else
        text_printf(out, "%s%s%d%s", prefix, type, lanes, suffix);
}

void opencl_conversion(Text *out, const char *type, int lanes, const char *suffix)
{
    if (is_long(lanes))
        text_printf(out, "cs_to_%s_V%d", type, -lanes);
    else
        opencl_typed(out, "convert_", type, lanes, suffix);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void print_const(Text *out, const KirExpr *e)
{
    int64_t i = e->value.i;
    double f = e->value.f;
    switch (e->type.kind) {
    case SC_LONG:
        if (i == INT64_MIN)
            text_add(out, "(-9223372036854775807L - 1)");
        else
            text_printf(out, i < 0 ? "(%" PRId64 "L)" : "%" PRId64 "L", i);
        return;
    case SC_ULONG: text_printf(out, "%" PRIu64 "UL", (uint64_t)i); return;
    case SC_UINT:
    case SC_CHAR: text_printf(out, "%" PRIu32 "u", (uint32_t)i); return;
    case SC_HALF:
    case SC_FLOAT:
    case SC_DOUBLE: break;
    case SC_SBYTE: /* overloads of builtins look at the type */
    case SC_BYTE:
    case SC_SHORT:
    case SC_USHORT: text_printf(out, "((%s)%" PRId64 ")", value_name(e->type.kind), i); return;
    default:
        if (i == INT32_MIN)
            text_add(out, "(-2147483647 - 1)");
        else
            text_printf(out, i < 0 ? "(%" PRId64 ")" : "%" PRId64, i);
        return;
    }
    const char *suffix = e->type.kind == SC_DOUBLE ? "" : "f";
    if (isnan(f))
        text_printf(out, "%s", *suffix ? "NAN" : "nan(0UL)");
    else if (isinf(f))
        text_printf(out, f < 0 ? "(-%s)" : "%s", *suffix ? "INFINITY" : "(double)INFINITY");
    else
        /* hexadecimal reals are exact; whole numbers read better in decimal */
        text_printf(out,
                    f == floor(f) && fabs(f) < 1e7 ? (signbit(f) ? "(%.1f%s)" : "%.1f%s")
                                                   : (signbit(f) ? "(%a%s)" : "%a%s"),
                    f, suffix);
}

/* cl text with $1.. replaced by the operands. */
static void print_template(Text *out, const char *cl, const KirExpr *e)
{
    for (const char *p = cl; *p; p++) {
        if (*p == '$' && p[1] >= '1' && p[1] <= '9')
            opencl_expr(out, e->args[*++p - '1']);
        else
            text_addn(out, p, 1);
    }
}

static void print_list(Text *out, const KirExpr *e)
{
    for (int i = 0; i < e->nargs; i++) {
        if (i) text_add(out, ", ");
        opencl_expr(out, e->args[i]);
    }
}

static void print_call(Text *out, const char *name, const KirExpr *e)
{
    text_printf(out, "%s(", name);
    print_list(out, e);
    text_add(out, ")");
}

static void print_infix(Text *out, const char *op, const KirExpr *x, const KirExpr *y)
{
    text_add(out, "(");
    opencl_expr(out, x);
    text_printf(out, " %s ", op);
    opencl_expr(out, y);
    text_add(out, ")");
}

/* Signed overflow is undefined in OpenCL C: wrap through the unsigned type. */
static void print_wrapping(Text *out, const char *op, const KirExpr *e)
{
    const char *u = e->type.kind == SC_LONG ? "ulong" : "uint";
    opencl_typed(out, "as_", value_name(e->type.kind), e->type.lanes, "");
    text_add(out, "(");
    for (int i = 0; i < e->nargs; i++) {
        if (i || e->nargs == 1) text_printf(out, e->nargs == 1 ? "%s" : " %s ", op);
        opencl_typed(out, "as_", u, e->type.lanes, "");
        text_add(out, "(");
        opencl_expr(out, e->args[i]);
        text_add(out, ")");
    }
    text_add(out, ")");
}

/* Comparisons of vectors give a mask as wide as the operands: every bool vector is int lanes. */
static void print_compare(Text *out, const char *op, const KirExpr *e)
{
    const KirExpr *x = e->args[0];
    bool vector = e->type.lanes != 1, narrow = vector && value_bytes(x->type.kind) != 4;
    if (narrow) {
        opencl_conversion(out, "int", e->type.lanes, "");
        text_add(out, "(");
    }
    print_infix(out, op, x, e->args[1]);
    if (narrow) text_add(out, ")");
}

/* A condition, or a mask of the width of what is chosen. */
static void print_select(Text *out, const KirExpr *e)
{
    static const char *const masks[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    size_t bytes = value_bytes(e->type.kind);
    bool one = e->args[0]->type.lanes == 1, wide = !one && is_long(e->type.lanes);
    if (one || wide) {
        text_add(out, "(");
        if (wide) opencl_conversion(out, masks[bytes], e->type.lanes, "");
        if (wide) text_add(out, "(");
        opencl_expr(out, e->args[0]);
        text_add(out, wide ? ") ? " : " ? ");
        opencl_expr(out, e->args[1]);
        text_add(out, " : ");
        opencl_expr(out, e->args[2]);
        text_add(out, ")");
        return;
    }
    text_add(out, "select(");
    opencl_expr(out, e->args[2]);
    text_add(out, ", ");
    opencl_expr(out, e->args[1]);
    text_add(out, ", ");
    if (bytes != 4) {
        opencl_conversion(out, masks[bytes], e->type.lanes, "");
        text_add(out, "(");
    }
    opencl_expr(out, e->args[0]);
    text_add(out, bytes != 4 ? "))" : ")");
}

/* clamp(x, -1, 1), min(x, 1) without a sign. The bounds of vectors are vectors: Oclgrind reads
 * beyond a scalar one. */
static void print_integer_sign(Text *out, const KirExpr *e)
{
    bool with_sign = scalar_is_signed((ScalarKind)e->type.kind);
    text_add(out, with_sign ? "clamp(" : "min(");
    opencl_expr(out, e->args[0]);
    for (int bound = with_sign ? -1 : 1; bound <= 1; bound += 2) {
        text_add(out, ", (");
        opencl_type(out, e->type);
        text_printf(out, ")(%d)", bound);
    }
    text_add(out, ")");
}

bool opencl_own(Text *out, FdOp op, KirType t)
{
    const char *own = fd_op_info(op)->own;
    if (!own || !is_real(t.kind)) return false;
    text_printf(out, "%s_%s", own, value_name(t.kind));
    if (t.lanes != 1) text_printf(out, t.lanes < 0 ? "_V%d" : "%d", abs(t.lanes));
    return true;
}

static void print_extreme(Text *out, const KirExpr *e)
{
    bool min = e->op == FD_OP_MIN;
    if (is_long(e->type.lanes))
        print_call(out, min ? "cs_lesser" : "cs_greater", e);
    else if (is_real(e->type.kind))
        print_call(out, min ? "cs_min" : "cs_max", e);
    else
        print_call(out, min ? "min" : "max", e);
}

/* C computes bytes and shorts as ints, which they do not fit, or overloads of builtins tell apart; vectors of them wrap. */
static bool grows(const KirExpr *e)
{
    int k = e->type.kind;
    FdOp op = e->op;
    bool small = k == SC_SBYTE || k == SC_BYTE || k == SC_SHORT || k == SC_USHORT;
    return small && e->type.lanes == 1 &&
           (op == FD_OP_ADD || op == FD_OP_SUB || op == FD_OP_MUL || op == FD_OP_DIV ||
            op == FD_OP_REM || op == FD_OP_NEG || op == FD_OP_SHL || op == FD_OP_BITNOT ||
            op == FD_OP_SELECT);
}

static void print_op_as_it_is(Text *out, const KirExpr *e);

static void print_op(Text *out, const KirExpr *e)
{
    bool cast = grows(e);
    if (cast) text_printf(out, "((%s)", value_name(e->type.kind));
    print_op_as_it_is(out, e);
    if (cast) text_add(out, ")");
}

static void print_op_as_it_is(Text *out, const KirExpr *e)
{
    static const char *const compare[] = {[FD_OP_EQ] = "==", [FD_OP_NE] = "!=", [FD_OP_LT] = "<",
                                          [FD_OP_LE] = "<=", [FD_OP_GT] = ">",  [FD_OP_GE] = ">="};
    int kind = e->type.kind;
    bool vector = e->type.lanes != 1, real = is_real(kind);
    if (opencl_own(out, e->op, e->type)) {
        print_call(out, "", e);
        return;
    }
    switch (e->op) {
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MUL:
    case FD_OP_NEG:
        if (is_signed_int(kind)) {
            print_wrapping(out, e->op == FD_OP_ADD ? "+" : e->op == FD_OP_MUL ? "*" : "-", e);
            return;
        }
        break;
    case FD_OP_DIV:
    case FD_OP_REM:
        if (real && e->op == FD_OP_DIV)
            print_infix(out, "/", e->args[0], e->args[1]);
        else if (real)
            print_call(out, "fmod", e);
        else if (kir_divides_plainly(e->args[1]))
            print_infix(out, e->op == FD_OP_DIV ? "/" : "%", e->args[0], e->args[1]);
        else {
            const char *each = e->op == FD_OP_DIV ? "cs_divs_" : "cs_rems_";
            const char *one = e->op == FD_OP_DIV ? "cs_div_" : "cs_rem_";
            opencl_typed(out, vector ? each : one, value_name(kind), e->type.lanes, "");
            print_call(out, "", e);
        }
        return;
    case FD_OP_MIN:
    case FD_OP_MAX: print_extreme(out, e); return;
    case FD_OP_SHL:
    case FD_OP_SHR: /* OpenCL masks the count itself */
        text_add(out, "(");
        opencl_expr(out, e->args[0]);
        text_add(out, e->op == FD_OP_SHL ? " << " : " >> ");
        if (vector) opencl_conversion(out, value_name(kind), e->type.lanes, "");
        text_add(out, "(");
        opencl_expr(out, e->args[1]);
        text_add(out, "))");
        return;
    case FD_OP_EQ:
    case FD_OP_NE:
    case FD_OP_LT:
    case FD_OP_LE:
    case FD_OP_GT:
    case FD_OP_GE: print_compare(out, compare[e->op], e); return;
    case FD_OP_LAND: print_infix(out, vector ? "&" : "&&", e->args[0], e->args[1]); return;
    case FD_OP_LOR: print_infix(out, vector ? "|" : "||", e->args[0], e->args[1]); return;
    case FD_OP_LNOT: print_template(out, vector ? "(~$1)" : "(!$1)", e); return;
    case FD_OP_BITNOT:
        print_template(out, kind == SC_BOOL && !vector ? "(!$1)" : "(~$1)", e);
        return;
    case FD_OP_SELECT: print_select(out, e); return;
    case FD_OP_ABS:
        if (real) {
            print_call(out, "fabs", e);
        } else { /* abs gives the unsigned type: MIN stays MIN */
            opencl_typed(out, "as_", value_name(kind), e->type.lanes, "");
            text_add(out, "(");
            print_call(out, "abs", e);
            text_add(out, ")");
        }
        return;
    case FD_OP_SIGN:
        if (real)
            print_call(out, "sign", e);
        else
            print_integer_sign(out, e);
        return;
    case FD_OP_RANDOM: print_call(out, "cs_random", e); return;
    default: break;
    }
    const char *cl = fd_op_info(e->op)->cl;
    /* a row of ops.def without text needs a case here */
    if (!cl) internal_error("opencl: no text for", fd_op_info(e->op)->text);
    print_template(out, cl, e);
}

static void print_convert(Text *out, const KirExpr *e)
{
    const KirExpr *x = e->args[0];
    int to = e->type.kind, from = x->type.kind, lanes = e->type.lanes;
    bool vector = lanes != 1;
    const char *name = value_name(to);
    if (to == SC_BOOL) {
        text_add(out, "(");
        if (vector && value_bytes(from) != 4) opencl_conversion(out, "int", lanes, "");
        text_add(out, "(");
        opencl_expr(out, x);
        text_add(out, " != 0))");
    } else if (is_real(from) && !is_real(to)) {
        /* saturates; NaN gives 0, which OpenCL only recommends */
        if (vector) {
            opencl_conversion(out, name, lanes, "_sat_rtz");
            text_add(out, "(select((");
            print_type_name(out, value_name(from), lanes);
            text_add(out, ")0, ");
            opencl_expr(out, x);
            text_add(out, ", ");
            print_infix(out, "==", x, x);
            text_add(out, "))");
        } else {
            text_add(out, "(isnan(");
            opencl_expr(out, x);
            text_add(out, ") ? 0 : ");
            opencl_conversion(out, to == KIR_IDX ? "int" : name, lanes, "_sat_rtz");
            text_add(out, "(");
            opencl_expr(out, x);
            text_add(out, "))");
        }
    } else if (to == SC_HALF && from != SC_BOOL && from != SC_HALF) {
        bool real = is_real(from);
        text_add(out, "cs_half(");
        if (!real) {
            opencl_conversion(out, "float", lanes, "");
            text_add(out, "(");
        }
        opencl_expr(out, x);
        text_add(out, real ? ")" : "))");
    } else if (vector) {
        if (from == SC_BOOL) text_add(out, "(-"); /* a mask's lanes are 0 or -1 */
        opencl_conversion(out, name, lanes, "");
        text_add(out, "(");
        opencl_expr(out, x);
        text_add(out, from == SC_BOOL ? "))" : ")");
    } else {
        text_printf(out, "((%s)", name);
        opencl_expr(out, x);
        text_add(out, ")");
    }
}

static void print_iota(Text *out, KirType t)
{
    /* sixteen numbers, of which the vector takes the low ones */
    static const char *const halves[] = {
        [16] = "", [8] = ".s01234567", [4] = ".s0123", [2] = ".s01"};
    const char *name = value_name(t.kind);
    text_printf(out, "((%s16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)", name);
    if (t.lanes < 0)
        text_printf(out, "CAT(CS_LOW, V%d))", -t.lanes);
    else
        text_printf(out, "%s)", halves[t.lanes]);
}

void opencl_expr(Text *out, const KirExpr *e)
{
    switch (e->kind) {
    case KIR_CONST: print_const(out, e); break;
    case KIR_NAME: text_add(out, e->name); break;
    case KIR_ELEM:
        text_add(out, e->name);
        for (int i = 0; i < e->nargs; i++) {
            text_add(out, "[");
            opencl_expr(out, e->args[i]);
            text_add(out, "]");
        }
        break;
    case KIR_LOAD: opencl_load(out, e); break;
    case KIR_STEPS:
    case KIR_GATHER: opencl_gather(out, e); break;
    case KIR_OP: print_op(out, e); break;
    case KIR_CONVERT: print_convert(out, e); break;
    case KIR_BITS:
        opencl_typed(out, "as_", value_name(e->type.kind), e->type.lanes, "");
        text_add(out, "(");
        opencl_expr(out, e->args[0]);
        text_add(out, ")");
        break;
    case KIR_SPLAT:
        text_add(out, "(");
        text_add(out, "(");
        opencl_type(out, e->type);
        text_add(out, e->type.kind == SC_BOOL ? ")-(" : ")(");
        opencl_expr(out, e->args[0]);
        text_add(out, "))");
        break;
    case KIR_IOTA: print_iota(out, e->type); break;
    case KIR_SWIZZLE:
        opencl_expr(out, e->args[0]);
        text_printf(out, ".%s", e->name);
        break;
    case KIR_MAKE:
        text_printf(out, "((%s){", e->type.record->name);
        print_list(out, e);
        text_add(out, "})");
        break;
    case KIR_MEMBER:
        opencl_expr(out, e->args[0]);
        text_printf(out, ".%s", e->name);
        break;
    case KIR_ARITH: print_infix(out, fd_op_infix(e->op), e->args[0], e->args[1]); break;
    case KIR_INTRINSIC:
        opencl_intrinsic(out, e);
        print_call(out, "", e);
        break;
    case KIR_CALL: print_call(out, e->name, e); break;
    }
}
