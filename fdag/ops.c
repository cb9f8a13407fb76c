/* The operation table as data, and operations on values. Reals are computed in double and rounded
 * once to their type, which is exact for + - * / sqrt of floats and halves. */
#include "ops.h"

#include <math.h>
#include <string.h>

/* The names that ops.def uses for properties; undefined again below. */
#define A FD_ASSOCIATIVE
#define C FD_COMMUTATIVE
#define I FD_IDEMPOTENT
#define L FD_LAZY
#define T FD_THROWS
#define X FD_EXPENSIVE
#define R FD_ROUNDS
#define NONE NULL
#define OWN(name) "cs_" #name
#define WIDE(name) OWN(name)
static const FdOpInfo table[FD_OP_COUNT] = {
    {"none", 0, FD_RULE_SAME, 0, FD_NEUTRAL_NO, NULL, NULL, NULL},
#define OP(id, text, arity, rule, props, neutral, cl, own, partials)                               \
    {text, arity, FD_RULE_##rule, (props), FD_NEUTRAL_##neutral, cl, own, partials},
#include "ops.def"
#undef OP
};
#undef A
#undef C
#undef I
#undef L
#undef T
#undef X
#undef R
#undef NONE
#undef OWN
#undef WIDE

const FdOpInfo *fd_op_info(FdOp op)
{
    return &table[op];
}

bool fd_op_compares(FdOp op)
{
    return op != FD_OP_NONE && table[op].rule == FD_RULE_CMP;
}

FdOp fd_op_negated(FdOp op)
{
    static const FdOp other[FD_OP_COUNT] = {
        [FD_OP_LT] = FD_OP_GE, [FD_OP_GE] = FD_OP_LT, [FD_OP_LE] = FD_OP_GT,
        [FD_OP_GT] = FD_OP_LE, [FD_OP_EQ] = FD_OP_NE, [FD_OP_NE] = FD_OP_EQ,
    };
    return other[op];
}

FdOp fd_op_turned(FdOp op)
{
    static const FdOp other[FD_OP_COUNT] = {
        [FD_OP_LT] = FD_OP_GT, [FD_OP_GE] = FD_OP_LE, [FD_OP_LE] = FD_OP_GE,
        [FD_OP_GT] = FD_OP_LT, [FD_OP_EQ] = FD_OP_EQ, [FD_OP_NE] = FD_OP_NE,
    };
    return other[op];
}

const char *fd_op_infix(FdOp op)
{
    static const char *const infix[FD_OP_COUNT] = {
        [FD_OP_ADD] = "+", [FD_OP_SUB] = "-", [FD_OP_MUL] = "*", [FD_OP_DIV] = "/",
        [FD_OP_REM] = "%", [FD_OP_EQ] = "==", [FD_OP_NE] = "!=", [FD_OP_LT] = "<",
        [FD_OP_LE] = "<=", [FD_OP_GT] = ">",  [FD_OP_GE] = ">=", [FD_OP_LAND] = "&&",
        [FD_OP_LOR] = "||"};
    return infix[op];
}

FdOp fd_op_from_text(const char *text)
{
    for (int op = 1; op < FD_OP_COUNT; op++)
        if (strcmp(table[op].text, text) == 0) return (FdOp)op;
    return FD_OP_NONE;
}

ScalarKind fd_op_result(FdOp op, ScalarKind k)
{
    switch (table[op].rule) {
    case FD_RULE_CMP:
    case FD_RULE_BOOL: return SC_BOOL;
    case FD_RULE_BOUND: return SC_LONG;
    case FD_RULE_RANDOM: return SC_FLOAT;
    default: return k;
    }
}

/* The values between which all of a kind lie. */
static ScalarValue extreme(ScalarKind k, bool greatest)
{
    int bits = 8 * (int)scalar_bytes(k) - (scalar_is_signed(k) ? 1 : 0);
    int64_t most = k == SC_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits));
    if (scalar_is_real(k)) return (ScalarValue){.f = greatest ? INFINITY : -INFINITY};
    return (ScalarValue){.i = greatest ? most : scalar_is_signed(k) ? -1 - most : 0};
}

bool fd_op_neutral(FdOp op, ScalarKind k, ScalarValue *out)
{
    *out = (ScalarValue){.i = 0}; /* also of reals */
    switch (table[op].neutral) {
    case FD_NEUTRAL_NO: return false;
    case FD_NEUTRAL_LEAST:
    case FD_NEUTRAL_MOST: *out = extreme(k, table[op].neutral == FD_NEUTRAL_MOST); return true;
    case FD_NEUTRAL_SET:
        *out = scalar_is_signed(k) ? (ScalarValue){.i = -1} : extreme(k, true);
        return true;
    case FD_NEUTRAL_ONE:
    case FD_NEUTRAL_TRUE:
        *out = scalar_is_real(k) ? (ScalarValue){.f = 1} : (ScalarValue){.i = 1};
        return true;
    default: return true;
    }
}

bool fd_op_reduces(FdOp op)
{
    return table[op].neutral >= FD_NEUTRAL_LEAST;
}

bool fd_op_identity(FdOp op, ScalarKind k, ScalarValue *out)
{
    return table[op].neutral >= FD_NEUTRAL_ZERO && fd_op_neutral(op, k, out);
}

/* Rounds a double result to k. */
static ScalarValue real(double x, ScalarKind k)
{
    return scalar_convert((ScalarValue){.f = x}, SC_DOUBLE, k);
}

/* Wraps a 64-bit result to k. */
static ScalarValue integer(uint64_t x, ScalarKind k)
{
    ScalarValue v = {.i = (int64_t)x};
    return k == SC_LONG ? v : scalar_convert(v, SC_LONG, k);
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? 0 : x;
}

static double fused(ScalarKind k, double a, double b, double c)
{
    return k == SC_DOUBLE ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
}

static ScalarValue eval_real(FdOp op, ScalarKind k, double a, double b, double c)
{
    switch (op) {
    case FD_OP_ADD: return real(a + b, k);
    case FD_OP_SUB: return real(a - b, k);
    case FD_OP_MUL: return real(a * b, k);
    case FD_OP_DIV: return real(a / b, k);
    case FD_OP_REM: return real(fmod(a, b), k);
    case FD_OP_NEG: return real(-a, k);
    case FD_OP_GIVEN:
    case FD_OP_ROUNDED: return real(a, k);
    case FD_OP_MIN: return real(fmin(a, b), k);
    case FD_OP_MAX: return real(fmax(a, b), k);
    case FD_OP_CLAMP: return real(fmin(fmax(a, b), c), k);
    case FD_OP_ABS: return real(fabs(a), k);
    case FD_OP_SIGN: return real(sign(a), k);
    case FD_OP_SQRT: return real(sqrt(a), k);
    case FD_OP_CBRT: return real(cbrt(a), k);
    case FD_OP_EXP: return real(exp(a), k);
    case FD_OP_LOG: return real(log(a), k);
    case FD_OP_LOG2: return real(log2(a), k);
    case FD_OP_LOG10: return real(log10(a), k);
    case FD_OP_SIN: return real(sin(a), k);
    case FD_OP_COS: return real(cos(a), k);
    case FD_OP_TAN: return real(tan(a), k);
    case FD_OP_ASIN: return real(asin(a), k);
    case FD_OP_ACOS: return real(acos(a), k);
    case FD_OP_ATAN: return real(atan(a), k);
    case FD_OP_ATAN2: return real(atan2(a, b), k);
    case FD_OP_SINH: return real(sinh(a), k);
    case FD_OP_COSH: return real(cosh(a), k);
    case FD_OP_TANH: return real(tanh(a), k);
    case FD_OP_ASINH: return real(asinh(a), k);
    case FD_OP_ACOSH: return real(acosh(a), k);
    case FD_OP_ATANH: return real(atanh(a), k);
    case FD_OP_EXP2: return real(exp2(a), k);
    case FD_OP_EXPM1: return real(expm1(a), k);
    case FD_OP_LOG1P: return real(log1p(a), k);
    case FD_OP_HYPOT: return real(hypot(a, b), k);
    case FD_OP_ERF: return real(erf(a), k);
    case FD_OP_ERFC: return real(erfc(a), k);
    case FD_OP_TGAMMA: return real(tgamma(a), k);
    case FD_OP_LGAMMA: return real(lgamma(a), k);
    case FD_OP_FMA: return real(fused(k, a, b, c), k);
    case FD_OP_COPYSIGN: return real(copysign(a, b), k);
    case FD_OP_POW: return real(pow(a, b), k);
    case FD_OP_FLOOR: return real(floor(a), k);
    case FD_OP_CEILING: return real(ceil(a), k);
    case FD_OP_ROUND: return real(nearbyint(a), k); /* to even at ties */
    case FD_OP_TRUNCATE: return real(trunc(a), k);
    default: return (ScalarValue){0};
    }
}

static bool compare_real(FdOp op, double a, double b)
{
    switch (op) {
    case FD_OP_EQ: return a == b;
    case FD_OP_NE: return a != b;
    case FD_OP_LT: return a < b;
    case FD_OP_LE: return a <= b;
    case FD_OP_GT: return a > b;
    default: return a >= b;
    }
}

static bool compare_integer(FdOp op, ScalarKind k, int64_t a, int64_t b)
{
    bool less = k == SC_ULONG ? (uint64_t)a < (uint64_t)b : a < b;
    switch (op) {
    case FD_OP_EQ: return a == b;
    case FD_OP_NE: return a != b;
    case FD_OP_LT: return less;
    case FD_OP_LE: return less || a == b;
    case FD_OP_GT: return !less && a != b;
    default: return !less;
    }
}

static ScalarValue divide(FdOp op, ScalarKind k, int64_t a, int64_t b)
{
    bool rem = op == FD_OP_REM;
    if (k == SC_ULONG)
        return integer(rem ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b, k);
    if (b == -1) return integer(rem ? 0 : 0 - (uint64_t)a, k); /* MIN / -1 wraps */
    return integer((uint64_t)(rem ? a % b : a / b), k);
}

static ScalarValue shift(FdOp op, ScalarKind k, int64_t a, int64_t by)
{
    unsigned n = (unsigned)by & (unsigned)(scalar_bytes(k) * 8 - 1);
    uint64_t u = (uint64_t)a;
    if (op == FD_OP_SHL) return integer(u << n, k);
    if (!scalar_is_signed(k) || a >= 0) return integer(u >> n, k);
    return integer(~(~u >> n), k); /* arithmetic, without relying on the compiler's choice */
}

static FdEvalStatus eval_integer(FdOp op, ScalarKind k, int64_t a, int64_t b, int64_t c,
                                 ScalarValue *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case FD_OP_ADD: *out = integer(x + y, k); break;
    case FD_OP_SUB: *out = integer(x - y, k); break;
    case FD_OP_MUL: *out = integer(x * y, k); break;
    case FD_OP_DIV:
    case FD_OP_REM:
        if (b == 0) return FD_EVAL_DIVIDE_BY_ZERO;
        *out = divide(op, k, a, b);
        break;
    case FD_OP_NEG: *out = integer(0 - x, k); break;
    case FD_OP_MIN: out->i = compare_integer(FD_OP_LT, k, b, a) ? b : a; break;
    case FD_OP_MAX: out->i = compare_integer(FD_OP_LT, k, a, b) ? b : a; break;
    case FD_OP_CLAMP:
        out->i = compare_integer(FD_OP_LT, k, a, b) ? b : a;
        if (compare_integer(FD_OP_LT, k, c, out->i)) out->i = c;
        break;
    case FD_OP_BITAND: out->i = a & b; break;
    case FD_OP_BITOR: out->i = a | b; break;
    case FD_OP_BITXOR: out->i = a ^ b; break;
    case FD_OP_BITNOT: *out = k == SC_BOOL ? (ScalarValue){.i = !a} : integer(~x, k); break;
    case FD_OP_SHL:
    case FD_OP_SHR: *out = shift(op, k, a, b); break;
    case FD_OP_LAND: out->i = a && b; break;
    case FD_OP_LOR: out->i = a || b; break;
    case FD_OP_LNOT: out->i = !a; break;
    case FD_OP_ABS:
        *out = scalar_is_signed(k) && a < 0 ? integer(0 - x, k) : (ScalarValue){a};
        break;
    case FD_OP_GIVEN: out->i = a; break;
    case FD_OP_SIGN: out->i = a == 0 ? 0 : scalar_is_signed(k) && a < 0 ? -1 : 1; break;
    default: out->i = 0; break;
    }
    return FD_EVAL_OK;
}

FdEvalStatus fd_op_eval(FdOp op, ScalarKind k, ScalarKind to, const ScalarValue *args,
                        ScalarValue *out)
{
    const FdOpInfo *info = &table[op];
    bool is_real = scalar_is_real(k);
    *out = (ScalarValue){0};
    switch (info->rule) {
    case FD_RULE_SELECT: *out = args[0].i ? args[1] : args[2]; return FD_EVAL_OK;
    case FD_RULE_CONV: *out = scalar_convert(args[0], k, to); return FD_EVAL_OK;
    case FD_RULE_RANDOM:
        out->f = (double)fd_random_uniform(args[0].i, args[1].i);
        return FD_EVAL_OK;
    case FD_RULE_CMP:
        out->i = is_real ? compare_real(op, args[0].f, args[1].f)
                         : compare_integer(op, k, args[0].i, args[1].i);
        return FD_EVAL_OK;
    default: break;
    }
    ScalarValue none = {0};
    ScalarValue b = info->arity > 1 ? args[1] : none, c = info->arity > 2 ? args[2] : none;
    if (!is_real) return eval_integer(op, k, args[0].i, b.i, c.i, out);
    *out = eval_real(op, k, args[0].f, b.f, c.f);
    return FD_EVAL_OK;
}

float fd_random_uniform(int64_t seed, int64_t index)
{
    uint32_t c[4] = {(uint32_t)index, (uint32_t)((uint64_t)index >> 32), 0, 0};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)((uint64_t)seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)c[0] * 0xD2511F53u, q = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t n0 = (uint32_t)(q >> 32) ^ c[1] ^ k0, n2 = (uint32_t)(p >> 32) ^ c[3] ^ k1;
        c[0] = n0;
        c[1] = (uint32_t)q;
        c[2] = n2;
        c[3] = (uint32_t)p;
        k0 += 0x9E3779B9u; /* golden ratio */
        k1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    return (float)(c[0] >> 8) * 0x1p-24f;
}
