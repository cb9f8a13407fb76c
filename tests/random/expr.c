/* Scalar expressions of a given type and size. */
#include "random.h"

static Size less(Size s, int bits)
{
    return (Size){s.mag - bits, s.frac};
}

static bool write_scalar(Gen *g, Ty t, Size s)
{
    if (!g->nscalars) return false;
    int first = choose(g, g->nscalars);
    for (int i = 0; i < g->nscalars; i++) {
        const Scalar *x = &g->scalars[(first + i) % g->nscalars];
        if (x->type != t || !size_fits(x->size, s)) continue;
        text_add(g->out, x->name);
        return true;
    }
    return false;
}

static bool write_var(Gen *g, Ty t, Size s)
{
    if (!g->nvars || s.mag < 8 || t == BOOL) return false;
    const Var *w = &g->vars[choose(g, g->nvars)];
    if (t == INT)
        text_add(g->out, w->name);
    else if (!ty_signed(t) || t == SBYTE)
        return false;
    else
        text_printf(g->out, "((%s) %s)", ty_name(t), w->name);
    covered("variable as a value");
    return true;
}

static void write_leaf(Gen *g, Ty t, Size s, int depth)
{
    switch (choose(g, 6)) {
    case 1:
        if (write_scalar(g, t, s)) return;
        break;
    case 2:
        if (write_var(g, t, s)) return;
        break;
    case 3:
    case 4:
    case 5:
        if (write_read(g, t, s, depth)) return;
        break;
    default: break;
    }
    write_literal(g, t, s);
}

/* An operand of an operator of type t: one of a narrower type now and then, which C#'s promotions
 * widen. */
static void write_operand(Gen *g, Ty t, Size s, int depth)
{
    static const Ty narrower[NTYPES][4] = {
        [INT] = {SBYTE, BYTE, SHORT, USHORT}, [UINT] = {BYTE, USHORT, BYTE, USHORT},
        [LONG] = {INT, UINT, SHORT, BYTE},    [ULONG] = {UINT, BYTE, USHORT, UINT},
        [FLOAT] = {HALF, INT, SHORT, LONG},   [DOUBLE] = {FLOAT, INT, UINT, LONG},
    };
    if (narrower[t][0] == 0 || !rarely(g, 4)) {
        write_expr(g, t, s, depth);
        return;
    }
    Ty n = narrower[t][choose(g, 4)];
    Size size = ty_size(n);
    if (!size_any(t, s)) {
        if (s.mag < size.mag) size.mag = s.mag;
        if (s.frac < size.frac) size.frac = s.frac;
    }
    covered("implicit conversion");
    if (n == INT || n == LONG) { /* not a sum: it would take the type of its target */
        text_printf(g->out, "((%s) ", ty_name(n));
        write_expr(g, n, size, depth);
        text_add(g->out, ")");
    } else
        write_expr(g, n, size, depth);
}

static void write_binary(Gen *g, const char *op, Ty t, Size a, Size b, int depth)
{
    /* One operand is of the type itself: it makes the result's. */
    bool swap = choose(g, 2);
    covered(op);
    text_add(g->out, "(");
    if (swap)
        write_operand(g, t, a, depth - 1);
    else
        write_expr(g, t, a, depth - 1);
    text_printf(g->out, " %s ", op);
    if (swap)
        write_expr(g, t, b, depth - 1);
    else
        write_operand(g, t, b, depth - 1);
    text_add(g->out, ")");
}

void write_nonzero(Gen *g, Ty t, int depth)
{
    if (depth <= 0 || !choose(g, 2)) {
        text_printf(g->out, "%d%s", 1 + choose(g, 9),
                    t == UINT    ? "u"
                    : t == LONG  ? "L"
                    : t == ULONG ? "UL"
                                 : "");
        return;
    }
    text_add(g->out, "(");
    write_expr(g, t, ty_size(t), depth - 1);
    text_printf(g->out, " | 1%s)", t == UINT ? "u" : t == LONG ? "L" : t == ULONG ? "UL" : "");
}

void write_bool(Gen *g, int depth)
{
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, UINT, SHORT, HALF, ULONG};
    static const char *const compare[] = {"<", "==", ">", "!=", "<=", ">="};
    static const char *const logic[] = {"&", "|", "^", "==", "!="};
    if (depth <= 0) {
        write_leaf(g, BOOL, ty_size(BOOL), 0);
        return;
    }
    switch (choose(g, 9)) {
    case 0: write_leaf(g, BOOL, ty_size(BOOL), depth); return;
    case 1:
        text_add(g->out, "!");
        write_bool(g, depth - 1);
        return;
    case 2:
    case 3: {
        bool both = choose(g, 2);
        covered("&& ||");
        text_add(g->out, "(");
        write_bool(g, depth - 1);
        text_add(g->out, both ? " && " : " || ");
        g->guarded++;
        write_bool(g, depth - 1);
        g->guarded--;
        text_add(g->out, ")");
        return;
    }
    case 4:
        text_add(g->out, "(");
        write_bool(g, depth - 1);
        text_printf(g->out, " %s ", logic[choose(g, 5)]);
        write_bool(g, depth - 1);
        text_add(g->out, ")");
        return;
    case 5:
        if (write_call(g, BOOL, ty_size(BOOL), depth)) return;
        break;
    case 6:
        if (write_reduction(g, BOOL, ty_size(BOOL), depth)) return;
        break;
    default: break;
    }
    Ty t = types[choose(g, sizeof types / sizeof *types)];
    write_binary(g, compare[choose(g, 6)], t, ty_size(t), ty_size(t), depth);
}

/* (c ? a : b) */
static void write_choice(Gen *g, Ty t, Size s, int depth)
{
    covered("?:");
    text_add(g->out, "(");
    write_bool(g, depth - 1);
    text_add(g->out, " ? ");
    g->guarded++;
    write_expr(g, t, s, depth - 1);
    text_add(g->out, " : ");
    write_expr(g, t, s, depth - 1);
    g->guarded--;
    text_add(g->out, ")");
}

static void write_cast(Gen *g, Ty t, Size s, int depth)
{
    Ty from = choose_type(g);
    Size size = ty_size(from);
    bool any = size_any(t, s);
    if (from == BOOL || from == t || (!any && !ty_signed(t) && ty_signed(from))) {
        write_leaf(g, t, s, depth - 1);
        return;
    }
    if (!any) {
        if (size.mag > s.mag) size.mag = s.mag;
        if (size.frac > s.frac && ty_real(t)) size.frac = s.frac;
    }
    covered("cast");
    text_printf(g->out, "((%s) ", ty_name(t));
    write_expr(g, from, size, depth - 1);
    text_add(g->out, ")");
}

/* Math.Min(a, b) and the like: for the types of which there are overloads. */
static void write_math(Gen *g, Ty t, Size s, int depth)
{
    static const char *const two[] = {"Min", "Max"}, *const round[] = {"Floor", "Ceiling",
                                                                       "Truncate"};
    if (ty_real(t) && s.mag > 1 && rarely(g, 3)) {
        covered("Math.Floor");
        text_printf(g->out, "Math.%s(", round[choose(g, 3)]);
        write_expr(g, t, less(s, 1), depth - 1);
    } else if (ty_signed(t) && !size_any(t, s) && rarely(g, 3)) {
        covered("Math.Abs");
        text_add(g->out, "Math.Abs(");
        write_expr(g, t, s, depth - 1);
    } else {
        covered("Math.Min");
        text_printf(g->out, "Math.%s(", two[choose(g, 2)]);
        write_expr(g, t, s, depth - 1);
        text_add(g->out, ", ");
        write_expr(g, t, s, depth - 1);
    }
    text_add(g->out, ")");
}

static void write_real(Gen *g, Ty t, Size s, int depth)
{
    static const char *const signs[] = {"+", "-"};
    switch (choose(g, 4)) {
    case 0:
        if (s.mag < 1) break;
        write_binary(g, signs[choose(g, 2)], t, less(s, 1), less(s, 1), depth);
        return;
    case 1: {
        Size a = {s.mag / 2, s.frac / 2}, b = {s.mag - s.mag / 2, s.frac - s.frac / 2};
        write_binary(g, "*", t, a, b, depth);
        return;
    }
    case 2:
        text_add(g->out, "(-");
        write_expr(g, t, s, depth - 1);
        text_add(g->out, ")");
        return;
    case 3:
        if (s.frac < 1) break;
        covered("real / 2");
        text_add(g->out, "(");
        write_expr(g, t, (Size){s.mag, s.frac - 1}, depth - 1);
        text_printf(g->out, " / %s)", t == HALF ? "2.0h" : "2");
        return;
    default: break;
    }
    write_leaf(g, t, s, depth);
}

static void write_integer(Gen *g, Ty t, Size s, int depth)
{
    static const char *const ring[] = {"+", "-", "*"}, *const bits[] = {"&", "|", "^"},
                             *const quotient[] = {"/", "%"};
    bool any = size_any(t, s);
    Size full = ty_size(t);
    switch (choose(g, 8)) {
    case 0:
    case 1:
        if (any)
            write_binary(g, ring[choose(g, 3)], t, full, full, depth);
        else if (s.mag < 2 || !ty_signed(t))
            break;
        else
            write_binary(g, ring[choose(g, 2)], t, less(s, 1), less(s, 1), depth);
        return;
    case 2:
        if (!any && (s.mag < 2 || !ty_signed(t))) break;
        write_binary(g, bits[choose(g, 3)], t, any ? full : less(s, 1), any ? full : less(s, 1),
                     depth);
        return;
    case 3: {
        const char *op = quotient[choose(g, 2)];
        covered(op);
        text_add(g->out, "(");
        write_expr(g, t, s, depth - 1);
        text_printf(g->out, " %s ", op);
        write_nonzero(g, t, depth - 1);
        text_add(g->out, ")");
        return;
    }
    case 4: {
        bool left = any && choose(g, 2);
        covered(left ? "<<" : ">>");
        text_add(g->out, "(");
        write_expr(g, t, s, depth - 1);
        text_add(g->out, left ? " << " : " >> ");
        write_expr(g, INT, ty_size(INT), depth - 1);
        text_add(g->out, ")");
        return;
    }
    case 5:
        if (!any && !ty_signed(t)) break;
        text_add(g->out, t == INT || t == LONG ? "(-" : "(~");
        write_expr(g, t, s, depth - 1);
        text_add(g->out, ")");
        return;
    default:
        text_add(g->out, "(");
        write_expr(g, t, full, depth - 1);
        text_printf(g->out, " %% %d%s)", 1 << (any || s.mag > 6 ? 6 : s.mag),
                    t == UINT    ? "u"
                    : t == LONG  ? "L"
                    : t == ULONG ? "UL"
                                 : "");
        return;
    }
    write_leaf(g, t, s, depth);
}

void write_expr(Gen *g, Ty t, Size s, int depth)
{
    if (t == BOOL) {
        write_bool(g, depth);
        return;
    }
    if (depth <= 0) {
        write_leaf(g, t, s, 0);
        return;
    }
    switch (choose(g, 12)) {
    case 0:
    case 1: write_leaf(g, t, s, depth); return;
    case 2: write_choice(g, t, s, depth); return;
    case 3: write_cast(g, t, s, depth); return;
    case 4:
        if (t != SBYTE && t != BYTE && t != SHORT && t != USHORT) {
            write_math(g, t, s, depth);
            return;
        }
        break;
    case 5:
        if (write_call(g, t, s, depth)) return;
        break;
    case 6:
    case 7:
        if (write_reduction(g, t, s, depth)) return;
        break;
    default: break;
    }
    if (ty_real(t))
        write_real(g, t, s, depth);
    else if (ty_bits(t) >= 31)
        write_integer(g, t, s, depth);
    else if (size_any(t, s)) { /* arithmetic of small integers is that of int */
        covered("narrowing cast");
        text_printf(g->out, "((%s) ", ty_name(t));
        write_expr(g, INT, ty_size(INT), depth - 1);
        text_add(g->out, ")");
    } else
        write_leaf(g, t, s, depth);
}
