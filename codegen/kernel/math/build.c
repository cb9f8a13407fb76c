/* Building functions of reals (build.h). */
#include "build.h"

static V v_of(V x, const KirExpr *e)
{
    return (V){x.m, e};
}

static int kind_of(V x)
{
    return x.e->type.kind;
}

bool v_is_float(V x)
{
    return scalar_bytes((ScalarKind)kind_of(x)) == 4;
}

static V constant(V x, ScalarKind k, ScalarValue c)
{
    return v_of(x, kir_splat(x.m->arena, x.e->type.lanes, kir_const(x.m->arena, k, c)));
}

V v_num(V x, double c)
{
    ScalarKind k = v_is_float(x) ? SC_FLOAT : SC_DOUBLE;
    return constant(x, k, (ScalarValue){.f = k == SC_FLOAT ? (double)(float)c : c});
}

static int bits_kind(V x)
{
    return v_is_float(x) ? SC_UINT : SC_ULONG;
}

V v_bits_num(V x, uint64_t c)
{
    return constant(x, (ScalarKind)bits_kind(x), (ScalarValue){.i = (int64_t)c});
}

V v_var(V x)
{
    const char *name = arena_printf(x.m->arena, "t%d", x.m->names++);
    kir_decl(x.m->arena, x.m->block, x.e->type, name, x.e);
    return v_of(x, kir_name(x.m->arena, x.e->type, name));
}

V v_keep(V x)
{
    return x.e->kind == KIR_NAME || x.e->kind == KIR_CONST ? x : v_var(x);
}

void v_set(V var, V x)
{
    kir_set(x.m->arena, x.m->block, var.e, x.e);
}

/* ---- reals ----------------------------------------------------------------------------------- */

static V operation(FdOp op, int kind, int n, const V *x)
{
    const KirExpr *args[3];
    for (int i = 0; i < n; i++) args[i] = x[i].e;
    return v_of(x[0], kir_op(x[0].m->arena, op, kir_type(kind, x[0].e->type.lanes), n, args));
}

static V binary(FdOp op, V x, V y)
{
    return operation(op, kind_of(x), 2, (V[]){x, y});
}

/* Another function of the table, of the same type. */
static V unary(FdOp op, V x)
{
    return operation(op, kind_of(x), 1, &x);
}

V v_add(V x, V y)
{
    return binary(FD_OP_ADD, x, y);
}

V v_sub(V x, V y)
{
    return binary(FD_OP_SUB, x, y);
}

V v_mul(V x, V y)
{
    return binary(FD_OP_MUL, x, y);
}

V v_div(V x, V y)
{
    return binary(FD_OP_DIV, x, y);
}

V v_fma(V x, V y, V z)
{
    return v_intrinsic(INTR_FMA, 3, (V[]){x, y, z}); /* FD_OP_FMA where no compiler looks into it */
}

V v_neg(V x)
{
    return v_sub(v_num(x, -0.0), x); /* clang 15 lets a minus of one operand be reordered */
}

V v_abs(V x)
{
    return unary(FD_OP_ABS, x);
}

V v_sqrt(V x)
{
    return unary(FD_OP_SQRT, x);
}

V v_addc(V x, double c)
{
    return v_add(x, v_num(x, c));
}

V v_mulc(V x, double c)
{
    return v_mul(x, v_num(x, c));
}

V v_fmac(V x, double c, V z)
{
    return v_fma(x, v_num(x, c), z);
}

V v_fmacc(V x, V y, double c)
{
    return v_fma(x, y, v_num(x, c));
}

/* Every step-th coefficient */
static V horner(V x, int n, const double *c, int step)
{
    int i = (n - 1) / step * step;
    V p = v_num(x, c[i]);
    while ((i -= step) >= 0) p = v_fmacc(p, x, c[i]);
    return p;
}

/* Long ones by their even and their odd powers, which can go on side by side. */
V v_poly(V x, int n, const double *c)
{
    enum { LONG = 8 };
    if (n < LONG) return horner(x, n, c, 1);
    V square = v_keep(v_mul(x, x)), odd = v_keep(horner(square, n - 1, c + 1, 2));
    return v_fma(odd, x, horner(square, n, c, 2));
}

V v_series(V times, V x, int n, const double *c, V plus)
{
    V rest = v_fma(v_mul(times, x), v_poly(x, n - 1, c + 1), plus);
    return v_fma(times, v_num(x, c[0]), rest);
}

/* ---- masks ----------------------------------------------------------------------------------- */

static V mask(FdOp op, int n, const V *x)
{
    return operation(op, SC_BOOL, n, x);
}

V v_lt(V x, V y)
{
    return mask(FD_OP_LT, 2, (V[]){x, y});
}

V v_le(V x, V y)
{
    return mask(FD_OP_LE, 2, (V[]){x, y});
}

V v_eq(V x, V y)
{
    return mask(FD_OP_EQ, 2, (V[]){x, y});
}

V v_and(V x, V y)
{
    return mask(FD_OP_LAND, 2, (V[]){x, y});
}

V v_or(V x, V y)
{
    return mask(FD_OP_LOR, 2, (V[]){x, y});
}

V v_not(V x)
{
    return mask(FD_OP_LNOT, 1, &x);
}

V v_select(V m, V x, V y)
{
    return operation(FD_OP_SELECT, kind_of(x), 3, (V[]){m, x, y});
}

/* ---- bits ------------------------------------------------------------------------------------ */

V v_bits(V x)
{
    return v_of(x, kir_bits(x.m->arena, bits_kind(x), x.e));
}

V v_real(V bits)
{
    return v_of(bits, kir_bits(bits.m->arena, v_is_float(bits) ? SC_FLOAT : SC_DOUBLE, bits.e));
}

V v_band(V x, V y)
{
    return binary(FD_OP_BITAND, x, y);
}

V v_shl(V x, int by)
{
    return binary(FD_OP_SHL, x, v_bits_num(x, (uint64_t)by));
}

V v_shr(V x, int by)
{
    return binary(FD_OP_SHR, x, v_bits_num(x, (uint64_t)by));
}

V v_sar(V x, int by)
{
    int kind = v_is_float(x) ? SC_INT : SC_LONG;
    V s = v_of(x, kir_bits(x.m->arena, kind, x.e));
    V r = binary(FD_OP_SHR, s, constant(x, (ScalarKind)kind, (ScalarValue){.i = by}));
    return v_of(x, kir_bits(x.m->arena, kind_of(x), r.e));
}

V v_addi(V bits, int64_t c)
{
    return v_add(bits, v_bits_num(bits, v_is_float(bits) ? (uint32_t)c : (uint64_t)c));
}

int v_fraction(V x)
{
    return v_is_float(x) ? 23 : 52;
}

/* The bits of 1. */
static uint64_t one(V x)
{
    return v_is_float(x) ? 0x3F800000 : 0x3FF0000000000000;
}

/* The bit of the sign. */
static uint64_t sign_bit(V x)
{
    return v_is_float(x) ? 0x80000000 : 0x8000000000000000;
}

V v_xorsign(V x, V sign)
{
    V s = v_band(v_bits(sign), v_bits_num(x, sign_bit(x)));
    return v_real(binary(FD_OP_BITXOR, v_bits(x), s));
}

V v_copysign(V x, V sign)
{
    V s = v_band(v_bits(sign), v_bits_num(x, sign_bit(x)));
    return v_real(binary(FD_OP_BITOR, v_band(v_bits(x), v_bits_num(x, sign_bit(x) - 1)), s));
}

/* 1.5 * 2^fraction: reals of half to twice that have no fraction. */
static double rounder(V x)
{
    return v_is_float(x) ? 0x1.8p23 : 0x1.8p52;
}

static uint64_t rounder_bits(V x)
{
    return v_is_float(x) ? 0x4B400000 : 0x4338000000000000;
}

V v_whole(V bits)
{
    V sum = v_real(v_add(bits, v_bits_num(bits, rounder_bits(bits))));
    return v_addc(sum, -rounder(bits));
}

V v_nearest(V x, double c, V *bits)
{
    V big = v_num(x, rounder(x)), t = v_keep(c == 1 ? v_add(x, big) : v_fmac(x, c, big));
    if (bits) *bits = v_bits(t);
    return v_addc(t, -rounder(x));
}

V v_pow2(V k)
{
    double bias = (double)(one(k) >> v_fraction(k));
    return v_real(v_shl(v_bits(v_addc(k, rounder(k) + bias)), v_fraction(k)));
}

/* By two factors, of which the first leaves a normal number. */
V v_scale(V x, V k)
{
    V half = v_keep(v_nearest(k, 0.5, NULL));
    return v_mul(v_mul(x, v_pow2(half)), v_pow2(v_sub(k, half)));
}

/* ---- widths ---------------------------------------------------------------------------------- */

V v_widen(V x)
{
    return v_of(x, kir_convert(x.m->arena, kir_type(SC_DOUBLE, 1), x.e));
}

V v_narrow(V x)
{
    return v_of(x, kir_convert(x.m->arena, kir_type(SC_FLOAT, 1), x.e));
}

/* ---- branches -------------------------------------------------------------------------------- */

static const KirExpr *any(V mask)
{
    return mask.e->type.lanes == 1 ? mask.e : kir_any(mask.m->arena, mask.e);
}

void v_if_any(VBranch *b, V mask)
{
    *b = (VBranch){.outer = mask.m->block, .cond = any(mask)};
    mask.m->block = &b->body;
}

void v_while_any(VBranch *b, V mask)
{
    Arena *a = mask.m->arena;
    const KirExpr *some = any(mask);
    KirBlock leave = {0};
    *b = (VBranch){.outer = mask.m->block};
    mask.m->block = &b->body;
    kir_simple(a, &leave, KIR_BREAK);
    kir_if(a, &b->body, kir_op(a, FD_OP_LNOT, some->type, 1, &some), leave, NULL);
}

void v_end(VBranch *b, V like)
{
    like.m->block = b->outer;
    if (b->cond)
        kir_if(like.m->arena, b->outer, b->cond, b->body, NULL);
    else
        kir_loop(like.m->arena, b->outer, b->body, (KirBlock){0}, false);
}

V v_intrinsic(Intrinsic which, int n, const V *x)
{
    const KirExpr *args[3];
    for (int i = 0; i < n; i++) args[i] = x[i].e;
    return v_of(x[0], kir_intrinsic(x[0].m->arena, x[0].e->type, which, args));
}
