/* Types, sizes, literals, names. */
#include "random.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *suffix;
    bool real, is_signed;
    int bits;
    Size size;
} types[NTYPES] = {
    [BOOL] = {"bool", "", false, false, 1, {1, 0}},
    [SBYTE] = {"sbyte", "", false, true, 7, {7, 0}},
    [BYTE] = {"byte", "", false, false, 8, {8, 0}},
    [SHORT] = {"short", "", false, true, 15, {15, 0}},
    [USHORT] = {"ushort", "", false, false, 16, {16, 0}},
    [INT] = {"int", "", false, true, 31, {31, 0}},
    [UINT] = {"uint", "u", false, false, 32, {32, 0}},
    [LONG] = {"long", "L", false, true, 63, {63, 0}},
    [ULONG] = {"ulong", "UL", false, false, 64, {64, 0}},
    [HALF] = {"half", "h", true, true, 0, {8, 2}},
    [FLOAT] = {"float", "f", true, true, 0, {19, 3}},
    [DOUBLE] = {"double", "d", true, true, 0, {42, 6}},
};

const char *ty_name(Ty t)
{
    return types[t].name;
}

bool ty_real(Ty t)
{
    return types[t].real;
}

bool ty_signed(Ty t)
{
    return types[t].is_signed;
}

int ty_bits(Ty t)
{
    return types[t].bits;
}

Size ty_size(Ty t)
{
    return types[t].size;
}

Ty choose_type(Gen *g)
{
    static const Ty order[] = {INT,  FLOAT, DOUBLE, INT,   LONG,  FLOAT,  UINT,
                               BYTE, SHORT, HALF,   ULONG, SBYTE, USHORT, BOOL};
    return order[choose(g, (int)(sizeof order / sizeof *order))];
}

bool size_fits(Size inner, Size outer)
{
    return inner.mag <= outer.mag && inner.frac <= outer.frac;
}

bool size_any(Ty t, Size s)
{
    return !ty_real(t) && s.mag >= ty_bits(t);
}

int span_len(Span s)
{
    return s.hi > s.lo ? s.hi - s.lo : 0;
}

void write_literal(Gen *g, Ty t, Size s)
{
    if (t == BOOL) {
        text_add(g->out, choose(g, 2) ? "true" : "false");
        return;
    }
    int bits = s.mag < 4 ? s.mag : 4;
    if (bits < 0) bits = 0;
    int n = choose(g, (1 << bits) + 1);
    bool negative = ty_signed(t) && n && choose(g, 2);
    if (ty_real(t)) {
        int frac = s.frac < 1 || n == 1 << bits ? 0 : choose(g, s.frac > 2 ? 3 : s.frac + 1);
        double x = n + (frac == 2 ? 0.75 : frac == 1 ? 0.5 : 0);
        text_printf(g->out, "%s%g%s%s", negative ? "(-" : "", x, types[t].suffix,
                    negative ? ")" : "");
        return;
    }
    if (size_any(t, s) && rarely(g, 8) && ty_bits(t) > 16) {
        text_printf(g->out, "%s.%s", ty_name(t), choose(g, 2) ? "MinValue" : "MaxValue");
        covered("extreme literal");
        return;
    }
    if (ty_bits(t) <= 16)
        text_printf(g->out, "((%s) %s%d)", ty_name(t), negative ? "-" : "", n);
    else
        text_printf(g->out, "%s%d%s%s", negative ? "(-" : "", n, types[t].suffix,
                    negative ? ")" : "");
}

void new_name(Gen *g, char name[16], const char *prefix)
{
    snprintf(name, 16, "%s%d", prefix, g->ids++);
}
