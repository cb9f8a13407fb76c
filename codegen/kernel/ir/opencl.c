/* The OpenCL C printer: kernel IR to text. Operations whose OpenCL meaning differs from the
 * language's (integer overflow, division, conversions, masks of vectors) are spelled out here or in
 * prelude.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kir.h"

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

static void print_type(Text *out, KirType t)
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

/* prefix##type##suffix as a function name: convert_float8, as_uint4, CAT3(convert_, float, V4)... */
static void print_typed_function(Text *out, const char *prefix, const char *type, int lanes,
                                 const char *suffix)
{
    if (is_long(lanes) && strcmp(prefix, "convert_") == 0)
        text_printf(out, "cs_to_%s_V%d", type, -lanes);
    else if (lanes < 0)
        text_printf(out, *suffix ? "CAT3(%s%s, V%d, %s)" : "CAT(%s%s, V%d)", prefix, type, -lanes,
                    suffix);
    else if (lanes == 1)
        text_printf(out, "%s%s%s", prefix, type, suffix);
    else
        text_printf(out, "%s%s%d%s", prefix, type, lanes, suffix);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void print(Text *out, const KirExpr *e);

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
            print(out, e->args[*++p - '1']);
        else
            text_addn(out, p, 1);
    }
}

static void print_list(Text *out, const KirExpr *e)
{
    for (int i = 0; i < e->nargs; i++) {
        if (i) text_add(out, ", ");
        print(out, e->args[i]);
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
    print(out, x);
    text_printf(out, " %s ", op);
    print(out, y);
    text_add(out, ")");
}

/* Signed overflow is undefined in OpenCL C: wrap through the unsigned type. */
static void print_wrapping(Text *out, const char *op, const KirExpr *e)
{
    const char *u = e->type.kind == SC_LONG ? "ulong" : "uint";
    print_typed_function(out, "as_", value_name(e->type.kind), e->type.lanes, "");
    text_add(out, "(");
    for (int i = 0; i < e->nargs; i++) {
        if (i || e->nargs == 1) text_printf(out, e->nargs == 1 ? "%s" : " %s ", op);
        print_typed_function(out, "as_", u, e->type.lanes, "");
        text_add(out, "(");
        print(out, e->args[i]);
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
        print_typed_function(out, "convert_", "int", e->type.lanes, "");
        text_add(out, "(");
    }
    print_infix(out, op, x, e->args[1]);
    if (narrow) text_add(out, ")");
}

/* c ? x : y by a mask of x's width. */
static void print_wide_select(Text *out, const KirExpr *e)
{
    static const char *const masks[] = {[1] = "char", [2] = "short", [4] = "int"};
    text_add(out, "(");
    print_typed_function(out, "convert_", masks[value_bytes(e->type.kind)], e->type.lanes, "");
    text_add(out, "(");
    print(out, e->args[0]);
    text_add(out, ") ? ");
    print(out, e->args[1]);
    text_add(out, " : ");
    print(out, e->args[2]);
    text_add(out, ")");
}

static void print_select(Text *out, const KirExpr *e)
{
    if (e->args[0]->type.lanes == 1) {
        text_add(out, "(");
        print(out, e->args[0]);
        text_add(out, " ? ");
        print(out, e->args[1]);
        text_add(out, " : ");
        print(out, e->args[2]);
        text_add(out, ")");
        return;
    }
    if (is_long(e->type.lanes)) {
        print_wide_select(out, e);
        return;
    }
    static const char *const masks[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    size_t bytes = value_bytes(e->type.kind);
    text_add(out, "select(");
    print(out, e->args[2]);
    text_add(out, ", ");
    print(out, e->args[1]);
    text_add(out, ", ");
    if (bytes != 4) {
        print_typed_function(out, "convert_", masks[bytes], e->type.lanes, "");
        text_add(out, "(");
    }
    print(out, e->args[0]);
    text_add(out, bytes != 4 ? "))" : ")");
}

/* clamp(x, -1, 1), min(x, 1) without a sign. The bounds of vectors are vectors: Oclgrind reads
 * beyond a scalar one. */
static void print_integer_sign(Text *out, const KirExpr *e)
{
    bool with_sign = scalar_is_signed((ScalarKind)e->type.kind);
    text_add(out, with_sign ? "clamp(" : "min(");
    print(out, e->args[0]);
    for (int bound = with_sign ? -1 : 1; bound <= 1; bound += 2) {
        text_add(out, ", (");
        print_type(out, e->type);
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

/* A constant divisor that is neither 0 nor -1. */
static bool divides_plainly(const KirExpr *e)
{
    if (e->kind == KIR_SPLAT) e = e->args[0];
    return e->kind == KIR_CONST && e->value.i != 0 && e->value.i != -1;
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

/* C computes bytes and shorts as ints; vectors of them wrap. */
static bool grows(const KirExpr *e)
{
    int k = e->type.kind;
    FdOp op = e->op;
    bool small = k == SC_SBYTE || k == SC_BYTE || k == SC_SHORT || k == SC_USHORT;
    return small && e->type.lanes == 1 &&
           (op == FD_OP_ADD || op == FD_OP_SUB || op == FD_OP_MUL || op == FD_OP_NEG ||
            op == FD_OP_SHL || op == FD_OP_BITNOT);
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
        else if (vector && divides_plainly(e->args[1]))
            print_infix(out, e->op == FD_OP_DIV ? "/" : "%", e->args[0], e->args[1]);
        else {
            const char *each = e->op == FD_OP_DIV ? "cs_divs_" : "cs_rems_";
            const char *one = e->op == FD_OP_DIV ? "cs_div_" : "cs_rem_";
            print_typed_function(out, vector ? each : one, value_name(kind), e->type.lanes, "");
            print_call(out, "", e);
        }
        return;
    case FD_OP_MIN:
    case FD_OP_MAX: print_extreme(out, e); return;
    case FD_OP_SHL:
    case FD_OP_SHR: /* OpenCL masks the count itself */
        text_add(out, "(");
        print(out, e->args[0]);
        text_add(out, e->op == FD_OP_SHL ? " << " : " >> ");
        if (vector) print_typed_function(out, "convert_", value_name(kind), e->type.lanes, "");
        text_add(out, "(");
        print(out, e->args[1]);
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
            print_typed_function(out, "as_", value_name(kind), e->type.lanes, "");
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
    if (!cl) abort(); /* a row of ops.def without text needs a case here */
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
        if (vector && value_bytes(from) != 4)
            print_typed_function(out, "convert_", "int", lanes, "");
        text_add(out, "(");
        print(out, x);
        text_add(out, " != 0))");
    } else if (is_real(from) && !is_real(to)) {
        /* saturates; NaN gives 0, which OpenCL only recommends */
        if (vector) {
            print_typed_function(out, "convert_", name, lanes, "_sat_rtz");
            text_add(out, "(select((");
            print_type_name(out, value_name(from), lanes);
            text_add(out, ")0, ");
            print(out, x);
            text_add(out, ", ");
            print_infix(out, "==", x, x);
            text_add(out, "))");
        } else {
            text_add(out, "(isnan(");
            print(out, x);
            text_add(out, ") ? 0 : ");
            print_typed_function(out, "convert_", to == KIR_IDX ? "int" : name, lanes, "_sat_rtz");
            text_add(out, "(");
            print(out, x);
            text_add(out, "))");
        }
    } else if (to == SC_HALF && from != SC_BOOL && from != SC_HALF) {
        bool real = is_real(from);
        text_add(out, "cs_half(");
        if (!real) {
            print_typed_function(out, "convert_", "float", lanes, "");
            text_add(out, "(");
        }
        print(out, x);
        text_add(out, real ? ")" : "))");
    } else if (vector) {
        if (from == SC_BOOL) text_add(out, "(-"); /* a mask's lanes are 0 or -1 */
        print_typed_function(out, "convert_", name, lanes, "");
        text_add(out, "(");
        print(out, x);
        text_add(out, from == SC_BOOL ? "))" : ")");
    } else {
        text_printf(out, "((%s)", name);
        print(out, x);
        text_add(out, ")");
    }
}

static void print_load(Text *out, const KirExpr *e)
{
    bool vector = e->type.lanes != 1;
    if (!vector) {
        text_printf(out,
                    e->type.kind == SC_HALF   ? "vload_half("
                    : e->type.kind == SC_BOOL ? "(%s["
                                              : "%s[",
                    e->name);
        print(out, e->args[0]);
        if (e->type.kind == SC_HALF)
            text_printf(out, ", %s)", e->name);
        else
            text_add(out, e->type.kind == SC_BOOL ? "] != 0)" : "]");
        return;
    }
    if (e->type.kind == SC_BOOL) {
        text_add(out, "(");
        print_typed_function(out, "convert_", "int", e->type.lanes, "");
        text_add(out, "(");
    }
    const char *half = e->type.kind == SC_HALF ? "vload_half" : "vload";
    if (e->type.lanes < 0)
        text_printf(out, "CAT(cs_load_%s, V%d)(%s + ", scalar_cl_name((ScalarKind)e->type.kind),
                    -e->type.lanes, e->name);
    else
        text_printf(out, "%s%d(0, %s + ", half, e->type.lanes, e->name);
    print(out, e->args[0]);
    text_add(out, e->type.kind == SC_BOOL ? ")) != 0)" : ")");
}

static void print_gather(Text *out, const KirExpr *e)
{
    bool truth = e->type.kind == SC_BOOL;
    if (truth) {
        text_add(out, "(");
        print_typed_function(out, "convert_", "int", e->type.lanes, "");
        text_add(out, "(");
    }
    print_typed_function(out, "cs_gather_", scalar_cl_name((ScalarKind)e->type.kind), e->type.lanes,
                         "");
    text_printf(out, "(%s + ", e->name);
    print(out, e->args[0]);
    text_add(out, ", ");
    print(out, e->args[1]);
    text_add(out, truth ? ")) != 0)" : ")");
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

static void print(Text *out, const KirExpr *e)
{
    switch (e->kind) {
    case KIR_CONST: print_const(out, e); break;
    case KIR_NAME: text_add(out, e->name); break;
    case KIR_ELEM:
        text_add(out, e->name);
        for (int i = 0; i < e->nargs; i++) {
            text_add(out, "[");
            print(out, e->args[i]);
            text_add(out, "]");
        }
        break;
    case KIR_LOAD: print_load(out, e); break;
    case KIR_GATHER: print_gather(out, e); break;
    case KIR_OP: print_op(out, e); break;
    case KIR_CONVERT: print_convert(out, e); break;
    case KIR_BITS:
        print_typed_function(out, "as_", value_name(e->type.kind), e->type.lanes, "");
        text_add(out, "(");
        print(out, e->args[0]);
        text_add(out, ")");
        break;
    case KIR_SPLAT:
        text_add(out, "(");
        text_add(out, "(");
        print_type(out, e->type);
        text_add(out, e->type.kind == SC_BOOL ? ")-(" : ")(");
        print(out, e->args[0]);
        text_add(out, "))");
        break;
    case KIR_IOTA: print_iota(out, e->type); break;
    case KIR_SWIZZLE:
        print(out, e->args[0]);
        text_printf(out, ".%s", e->name);
        break;
    case KIR_MAKE:
        text_printf(out, "((%s){", e->type.record->name);
        print_list(out, e);
        text_add(out, "})");
        break;
    case KIR_MEMBER:
        print(out, e->args[0]);
        text_printf(out, ".%s", e->name);
        break;
    case KIR_ARITH: print_infix(out, fd_op_infix(e->op), e->args[0], e->args[1]); break;
    case KIR_CALL: print_call(out, e->name, e); break;
    }
}

/* ---- statements ---------------------------------------------------------------------------- */

static void line(Text *out, int depth)
{
    text_printf(out, "%*s", depth * 2, "");
}

static void print_block(Text *out, const KirStmt *s, int depth);

/* target = e without the parentheses that an outermost operator does not need */
static void print_value(Text *out, const KirExpr *e)
{
    Text t = {0};
    print(&t, e);
    int depth = 0;
    bool whole = t.len > 1 && t.data[0] == '(';
    for (size_t i = 0; whole && i + 1 < t.len; i++) {
        depth += (t.data[i] == '(') - (t.data[i] == ')');
        whole = depth > 0;
    }
    if (whole && t.data[t.len - 1] == ')')
        text_addn(out, t.data + 1, t.len - 2);
    else
        text_addn(out, t.data, t.len);
    text_free(&t);
}

static void print_store(Text *out, const KirStmt *s)
{
    const KirExpr *e = s->expr;
    int lanes = e->type.lanes;
    bool half = e->type.kind == SC_HALF;
    if (lanes == 1 && !half) {
        text_printf(out, "%s[", s->name);
        print_value(out, s->target);
        text_add(out, "] = ");
        print_value(out, e);
        text_add(out, ";\n");
        return;
    }
    if (lanes < 0)
        text_printf(out, "CAT(cs_%s_%s, V%d)(", s->stream && !half ? "stream" : "store",
                    scalar_cl_name((ScalarKind)e->type.kind), -lanes);
    else if (lanes == 1)
        text_add(out, "vstore_half(");
    else
        text_printf(out, half ? "vstore_half%d(" : "vstore%d(", lanes);
    if (e->type.kind == SC_BOOL) { /* a mask to 0 and 1 */
        print_typed_function(out, "convert_", "uchar", lanes, "");
        text_add(out, "(");
        print(out, e);
        text_add(out, " & 1)");
    } else {
        print_value(out, e);
    }
    text_printf(out, lanes < 0 ? ", %s + " : ", 0, %s + ", s->name);
    print_value(out, s->target);
    text_add(out, ");\n");
}

static void print_for(Text *out, const KirStmt *s, int depth)
{
    if (s->unroll) {
        text_add(out, "#pragma unroll\n");
        line(out, depth);
    }
    text_printf(out, "for (idx_t %s = ", s->name);
    print_value(out, s->lo);
    text_printf(out, "; %s < ", s->name);
    print_value(out, s->hi);
    if (s->step->kind == KIR_CONST && s->step->value.i == 1) {
        text_printf(out, "; %s++) {\n", s->name);
    } else {
        text_printf(out, "; %s += ", s->name);
        print_value(out, s->step);
        text_add(out, ") {\n");
    }
    print_block(out, s->body, depth + 1);
    line(out, depth);
    text_add(out, "}\n");
}

/* Is there a `continue` of the loop around? */
static bool continues(const KirStmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == KIR_CONTINUE) return true;
        if (s->kind == KIR_IF && (continues(s->body) || continues(s->other))) return true;
    }
    return false;
}

/* for (;;) { body; continue: step }. The step is a block, so it runs at the top of every pass but
 * the first: `continue` then needs no label. */
static void print_loop(Text *out, const KirStmt *s, int depth)
{
    bool last = !continues(s->body); /* the step needs no place where `continue` goes */
    if (s->unroll) {
        text_add(out, "#pragma unroll\n");
        line(out, depth);
    }
    if (!s->other || last) {
        text_add(out, "for (;;) {\n");
    } else {
        text_add(out, "for (bool first = true;; first = false) {\n");
        line(out, depth + 1);
        text_add(out, "if (!first) {\n");
        print_block(out, s->other, depth + 2);
        line(out, depth + 1);
        text_add(out, "}\n");
    }
    print_block(out, s->body, depth + 1);
    if (last) print_block(out, s->other, depth + 1);
    line(out, depth);
    text_add(out, "}\n");
}

static void print_plane(Text *out, const KirStmt *s)
{
    const char *space = s->writable ? "__global" : "const __global";
    const char *type = scalar_cl_name((ScalarKind)s->type.kind);
    text_printf(out, "%s %s *%s = (%s %s *)(%s", space, type, s->name, space, type, s->of);
    if (!(s->expr->kind == KIR_CONST && s->expr->value.i == 0)) {
        text_add(out, " + ");
        print(out, s->expr);
    }
    text_add(out, ");\n");
}

static void print_stmt(Text *out, const KirStmt *s, int depth)
{
    line(out, depth);
    switch (s->kind) {
    case KIR_DECL:
        if (s->local) text_add(out, "__local ");
        print_type(out, s->type);
        text_printf(out, " %s", s->name);
        for (int i = 0; i < s->ndims; i++) {
            text_add(out, "[");
            print_value(out, s->dims[i]);
            text_add(out, "]");
        }
        /* vectors of it lie in one cache line */
        if (s->ndims && s->type.lanes == 1) text_add(out, " __attribute__((aligned(64)))");
        if (s->expr) {
            text_add(out, " = ");
            print_value(out, s->expr);
        }
        text_add(out, ";\n");
        break;
    case KIR_PLANE: print_plane(out, s); break;
    case KIR_SET:
        print(out, s->target);
        text_add(out, " = ");
        print_value(out, s->expr);
        text_add(out, ";\n");
        break;
    case KIR_STORE: print_store(out, s); break;
    case KIR_FOR: print_for(out, s, depth); break;
    case KIR_LOOP: print_loop(out, s, depth); break;
    case KIR_IF:
        if (s->expr) {
            text_add(out, "if (");
            print_value(out, s->expr);
            text_add(out, ") ");
        }
        text_add(out, "{\n");
        print_block(out, s->body, depth + 1);
        line(out, depth);
        if (s->other) {
            text_add(out, "} else {\n");
            print_block(out, s->other, depth + 1);
            line(out, depth);
        }
        text_add(out, "}\n");
        break;
    case KIR_BREAK: text_add(out, "break;\n"); break;
    case KIR_CONTINUE: text_add(out, "continue;\n"); break;
    case KIR_RETURN:
        text_add(out, "return");
        if (s->expr) {
            text_add(out, " ");
            print_value(out, s->expr);
        }
        text_add(out, ";\n");
        break;
    case KIR_EVAL:
        print(out, s->expr);
        text_add(out, ";\n");
        break;
    case KIR_BARRIER: text_add(out, "barrier(CLK_LOCAL_MEM_FENCE);\n"); break;
    }
}

static void print_block(Text *out, const KirStmt *s, int depth)
{
    for (; s; s = s->next) print_stmt(out, s, depth);
}

static void print_param(Text *out, const KirParam *p)
{
    if (!p->buffer) {
        print_type(out, p->type);
        text_printf(out, " %s", p->name);
        return;
    }
    const char *stored = p->planes                    ? "uchar"
                         : p->type.kind == KIR_IDX    ? "idx_t"
                         : p->type.kind == KIR_RECORD ? p->type.record->name
                                                      : scalar_cl_name((ScalarKind)p->type.kind);
    text_printf(out, "__global %s%s *%s%s", p->writable ? "" : "const ", stored,
                p->writable ? "" : "restrict ", p->name);
}

void opencl_print_record(Text *out, const KirRecord *r)
{
    text_add(out, "typedef struct {");
    for (int i = 0; i < r->nfields; i++) {
        text_add(out, " ");
        print_type(out, r->types[i]);
        text_printf(out, " %s;", r->names[i]);
    }
    text_printf(out, " } %s;\n", r->name);
}

void opencl_print(Text *out, const KirFunc *f)
{
    text_add(out, "\n");
    if (f->kernel) {
        text_printf(out, "__kernel void %s(", f->name);
    } else {
        text_add(out, "static inline ");
        print_type(out, f->result);
        text_printf(out, " %s(", f->name);
    }
    for (int i = 0; i < f->nparams; i++) {
        if (i) text_add(out, ", ");
        print_param(out, &f->params[i]);
    }
    text_add(out, ")\n{\n");
    print_block(out, f->body, 1);
    text_add(out, "}\n");
}
