/* Angles above 2^17 (reals of 8 bytes: 2^30) in quadrants, less the nearest whole number of them:
 * what OpenCL's prelude has as cs_far_high and cs_far_low (codegen/kernel/ir/prelude.c says how). */
#include <stdint.h>
#include <string.h>

#include "native.h"

__extension__ typedef unsigned __int128 Wide;

typedef struct Far {
    uint64_t high, low;
    int whole, exponent, less;
} Far;

/* 2/pi: a word of zeros, then what is after the point. */
static const uint64_t two_over_pi[] = {0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0,
                                       0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
                                       0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
                                       0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
                                       0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
                                       0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA,
                                       0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D};

static uint64_t high_of(uint64_t x, uint64_t y)
{
    return (uint64_t)((Wide)x * y >> 64);
}

/* m * 2^e */
static Far far_angle(uint64_t m, int e)
{
    int from = e + 62 < 0 ? 0 : e + 62 > 1087 ? 1087 : e + 62, by = from & 63;
    const uint64_t *w = two_over_pi + (from >> 6);
    uint64_t a = w[0] << by, b = w[1] << by, c = w[2] << by;
    if (by) {
        a |= w[1] >> (64 - by);
        b |= w[2] >> (64 - by);
        c |= w[3] >> (64 - by);
    }
    uint64_t carry = high_of(m, c), low = m * b + carry;
    uint64_t high = m * a + high_of(m, b) + (low < carry);
    Far r;
    r.whole = (int)((high + 0x2000000000000000) >> 62);
    high -= (uint64_t)r.whole << 62;
    r.less = (int64_t)high < 0;
    if (r.less) {
        low = -low;
        high = ~high + (low == 0);
    }
    r.exponent = -62;
    if (high == 0) {
        high = low;
        low = 0;
        r.exponent -= 64;
    }
    by = high ? __builtin_clzll(high) : 0;
    if (by) {
        high = high << by | low >> (64 - by);
        low <<= by;
    }
    r.high = high;
    r.low = low;
    r.exponent -= by;
    return r;
}

/* F: bits of the fraction; the first F + 1 bits, and as many after them. */
#define FAR(T, U, F, BIAS)                                                                         \
    static Far far_##T(T x)                                                                        \
    {                                                                                              \
        U bits;                                                                                    \
        memcpy(&bits, &x, sizeof bits);                                                            \
        uint64_t one = UINT64_C(1) << F;                                                           \
        return far_angle((bits & (one - 1)) | one, (int)(bits >> F & (2 * BIAS + 1)) - BIAS - F);  \
    }                                                                                              \
    static T far_two_##T(int e)                                                                    \
    {                                                                                              \
        U bits = (U)(BIAS + e) << F;                                                               \
        T r;                                                                                       \
        memcpy(&r, &bits, sizeof r);                                                               \
        return r;                                                                                  \
    }                                                                                              \
    T cs_kernel_far_high_##T(T x)                                                                  \
    {                                                                                              \
        Far f = far_##T(x);                                                                        \
        T r = (T)(int64_t)(f.high >> (63 - F)) * far_two_##T(f.exponent + 63 - F);                 \
        return f.less ? -r : r;                                                                    \
    }                                                                                              \
    T cs_kernel_far_low_##T(T x)                                                                   \
    {                                                                                              \
        Far f = far_##T(x);                                                                        \
        uint64_t rest = f.high << (F + 1) | f.low >> (63 - F);                                     \
        T r = (T)(int64_t)(rest >> (63 - F)) * far_two_##T(f.exponent + 62 - 2 * F);               \
        if (f.less) r = -r;                                                                        \
        U bits;                                                                                    \
        memcpy(&bits, &r, sizeof bits);                                                            \
        bits = (bits & ~(U)3) | (U)(f.whole & 3);                                                  \
        memcpy(&r, &bits, sizeof r);                                                               \
        return r;                                                                                  \
    }

FAR(float, uint32_t, 23, 127)
FAR(double, uint64_t, 52, 1023)
