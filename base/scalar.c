/* Scalar types and their conversions, exactly as the language defines them (so never through a C
 * cast that is undefined or rounds twice). */
#include "scalar.h"

#include <math.h>
#include <string.h>

typedef enum Class { CLASS_B, CLASS_I, CLASS_F, CLASS_C } Class;

static const struct {
    const char *name, *cl;
    size_t bytes;
    Class class;
    bool is_signed;
} table[SC_COUNT] = {
#define SCALAR(id, name, ctype, clname, bytes, class, sign)                                        \
    {name, clname, bytes, CLASS_##class, sign},
#include "scalar.def"
#undef SCALAR
};

const char *scalar_name(ScalarKind k)
{
    return table[k].name;
}

const char *scalar_cl_name(ScalarKind k)
{
    return table[k].cl;
}

size_t scalar_bytes(ScalarKind k)
{
    return table[k].bytes;
}

bool scalar_is_integer(ScalarKind k)
{
    return table[k].class == CLASS_I;
}

bool scalar_is_real(ScalarKind k)
{
    return table[k].class == CLASS_F;
}

bool scalar_is_signed(ScalarKind k)
{
    return table[k].is_signed;
}

bool scalar_from_name(const char *name, size_t len, ScalarKind *out)
{
    for (int k = 0; k < SC_COUNT; k++)
        if (strlen(table[k].name) == len && memcmp(table[k].name, name, len) == 0) {
            *out = (ScalarKind)k;
            return true;
        }
    return false;
}

bool scalar_widens(ScalarKind from, ScalarKind to)
{
    if (from == to) return true;
    Class a = table[from].class, b = table[to].class;
    if (a == CLASS_B || b == CLASS_B || b == CLASS_C) return false;
    if (a == CLASS_F) return b == CLASS_F && from < to;
    if (b == CLASS_F) /* half holds the 8-bit integers only, as in C# */
        return to != SC_HALF || table[from].bytes == 1;
    /* Integers and char to integers: the target must hold every value. */
    if (!table[from].is_signed)
        return table[to].bytes > table[from].bytes ||
               (!table[to].is_signed && a == CLASS_C && to == SC_UINT) ||
               (a == CLASS_C && to == SC_INT);
    return table[to].is_signed && table[to].bytes > table[from].bytes;
}

/* Keeps the low bytes of k, extended as k's sign says. */
static int64_t wrap(int64_t i, ScalarKind k)
{
    unsigned bits = (unsigned)table[k].bytes * 8;
    if (bits == 64) return i;
    uint64_t mask = (UINT64_C(1) << bits) - 1, u = (uint64_t)i & mask;
    if (table[k].is_signed && (u >> (bits - 1)) != 0) u |= ~mask;
    return (int64_t)u;
}

/* Truncates and saturates; NaN gives 0. */
static int64_t saturate(double f, ScalarKind k)
{
    if (isnan(f)) return 0;
    f = trunc(f);
    int bits = (int)table[k].bytes * 8;
    double top = ldexp(1, table[k].is_signed ? bits - 1 : bits); /* first value too large */
    if (table[k].is_signed) {
        if (f >= top) return bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
        if (f < -top) return bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
        return (int64_t)f;
    }
    if (f <= 0) return 0;
    if (f >= top) return bits == 64 ? (int64_t)UINT64_MAX : (INT64_C(1) << bits) - 1;
    return (int64_t)(uint64_t)f;
}

/* binary16 from a double, to nearest even in one rounding. */
static uint16_t half_from_double(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (isnan(x)) return sign | 0x7E00;
    if (x >= 65520.0) return sign | 0x7C00; /* rounds past the largest, 65504 */
    if (x < ldexp(1, -14)) {                /* subnormal: a count of 2^-24, may round up to 2^-14 */
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(x, 24)));
    }
    int e;
    double m = frexp(x, &e);                           /* x = m 2^e, m in [0.5, 1) */
    unsigned mant = (unsigned)nearbyint(ldexp(m, 11)); /* 1024 .. 2048 */
    /* A carry to 2048 moves into the exponent by itself. */
    return (uint16_t)(sign | (((unsigned)(e + 14) << 10) + (mant - 1024)));
}

static double half_to_double(uint16_t h)
{
    int e = (h >> 10) & 31, mant = h & 1023;
    double x = e == 31  ? (mant ? (double)NAN : (double)INFINITY)
               : e == 0 ? ldexp(mant, -24)
                        : ldexp(mant + 1024, e - 25);
    return h & 0x8000 ? -x : x;
}

static double round_real(double f, ScalarKind to)
{
    if (to == SC_HALF) return half_to_double(half_from_double(f));
    return to == SC_FLOAT ? (double)(float)f : f;
}

ScalarValue scalar_convert(ScalarValue v, ScalarKind from, ScalarKind to)
{
    ScalarValue out = {0};
    if (from == to) return v;
    bool real = scalar_is_real(from);
    if (table[to].class == CLASS_B)
        out.i = real ? v.f != 0 : v.i != 0;
    else if (real)
        if (scalar_is_real(to))
            out.f = round_real(v.f, to);
        else
            out.i = saturate(v.f, to);
    else if (to == SC_FLOAT) /* straight to float: through double it could round twice */
        out.f = from == SC_ULONG ? (double)(float)(uint64_t)v.i : (double)(float)v.i;
    else if (scalar_is_real(to))
        out.f = round_real(from == SC_ULONG ? (double)(uint64_t)v.i : (double)v.i, to);
    else
        out.i = wrap(v.i, to);
    return out;
}

ScalarValue scalar_load(const void *p, ScalarKind k)
{
    ScalarValue v = {0};
    uint16_t h;
    float f;
    switch (k) {
    case SC_HALF:
        memcpy(&h, p, sizeof h);
        v.f = half_to_double(h);
        break;
    case SC_FLOAT:
        memcpy(&f, p, sizeof f);
        v.f = (double)f;
        break;
    case SC_DOUBLE: memcpy(&v.f, p, sizeof v.f); break;
    case SC_BOOL: v.i = *(const uint8_t *)p != 0; break;
    default: /* the low bytes, little-endian as every target is */
        memcpy(&v.i, p, table[k].bytes);
        v.i = wrap(v.i, k);
        break;
    }
    return v;
}

void scalar_store(void *p, ScalarKind k, ScalarValue v)
{
    uint16_t h;
    float f;
    switch (k) {
    case SC_HALF:
        h = half_from_double(v.f);
        memcpy(p, &h, sizeof h);
        break;
    case SC_FLOAT:
        f = (float)v.f;
        memcpy(p, &f, sizeof f);
        break;
    case SC_DOUBLE: memcpy(p, &v.f, sizeof v.f); break;
    case SC_BOOL: *(uint8_t *)p = v.i != 0; break;
    default: memcpy(p, &v.i, table[k].bytes); break;
    }
}

void scalar_range(const void *p, ScalarKind k, int64_t n, int64_t *least, int64_t *largest)
{
    int64_t lo = scalar_load(p, k).i, hi = lo;
    switch (k) { /* a loop for each type */
#define SCALAR(id, name, ctype, clname, bytes, class, sign)                                        \
    case SC_##id:                                                                                  \
        for (int64_t i = 1; i < n; i++) {                                                          \
            const int64_t v = (int64_t)((const ctype *)p)[i];                                      \
            lo = v < lo ? v : lo;                                                                  \
            hi = v > hi ? v : hi;                                                                  \
        }                                                                                          \
        break;
#include "scalar.def"
#undef SCALAR
    default: break;
    }
    *least = lo;
    *largest = hi;
}
