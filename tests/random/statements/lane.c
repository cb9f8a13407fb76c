/* Statements for what kernels do in lanes: borders, gathers under conditions, functions that loop, bytes
 * at their own width, ranges that shift, operands that are turned; and errors, which every configuration
 * tells alike. */
#include "../random.h"

#include <stdio.h>
#include <string.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

int choose_length(Gen *g)
{
    static const int lengths[] = {17, 3, 1, 2, 7, 16, 33, 64, 65, 130, 300, 0};
    return ONE_OF(g, lengths);
}

void write_form(Text *out, const char *form, const char *marks, const char *const *values)
{
    for (; *form; form++) {
        const char *mark = *form == '%' && form[1] ? strchr(marks, form[1]) : NULL;
        if (mark)
            text_add(out, values[mark - marks]), form++;
        else
            text_printf(out, "%c", *form);
    }
}

const char *number_text(char text[16], int n)
{
    snprintf(text, 16, "%d", n);
    return text;
}

/* ---- borders ----------------------------------------------------------------------------------- */

/* An element of u at some offsets, by a function of borders or under a condition. */
static void write_near(Gen *g, const Value *u, const char *cast)
{
    static const char *const borders[] = {"Clamp", "Periodic", "Mirror", "Constant"};
    int kind = choose(g, 5), di = choose(g, 5) - 2, dj = choose(g, 5) - 2;
    const Span *d = u->dom;
    text_add(g->out, "(");
    if (kind == 4) {
        covered("border by a condition");
        text_printf(g->out, "i + %d >= %d && i + %d < %d", di, d[0].lo, di, d[0].hi);
        if (u->rank == 2)
            text_printf(g->out, " && j + %d >= %d && j + %d <= %d", dj, d[1].lo, dj, d[1].hi - 1);
        text_printf(g->out, " ? %s%s(", cast, u->name);
    } else {
        covered("border function");
        text_printf(g->out, "%s%s(%s", cast, borders[kind], u->name);
        text_add(g->out, kind < 3 ? ")(" : ty_real(u->type) ? ", 1.5)(" : ", 1)(");
    }
    text_printf(g->out, u->rank == 2 ? "i + %d, j + %d)" : "i + %d)", di, dj);
    text_add(g->out, kind == 4 ? " : 2)" : ")");
}

static void write_border_window(Gen *g, const Value *u)
{
    static const char *const borders[] = {"Clamp", "Periodic", "Mirror"},
                             *const weights[] = {"1", "d * e + 1", "d == 0 && e == 0 ? 0 : 1"};
    const char *border = ONE_OF(g, borders);
    int before = choose(g, 4), behind = 1 + choose(g, 3);
    covered("window with borders");
    if (u->rank == 1)
        text_printf(g->out, "sum(d : -%d..%d, %s(%s)(i + d) * (d + 2))", before, behind, border,
                    u->name);
    else
        text_printf(g->out, "sum(d : -1..2, e : -%d..%d, %s(%s)(i + d, j + e) * (%s))", before,
                    behind, border, u->name, ONE_OF(g, weights));
}

/* Stencils whose reads go past the ends, over all of an array, a part of it or more than it. */
void stmt_border(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, BYTE, SHORT, DOUBLE, LONG, SBYTE, USHORT};
    Ty t = ONE_OF(g, types), r = ty_real(t) || t == LONG ? t : INT;
    int rank = 1 + choose(g, 2), n = 1 + choose(g, 4), length = choose_length(g);
    Span d[2] = {{0, length ? length : 4}, {choose(g, 3) - 1, 0}};
    if (rank == 2 && length > 65) d[0].hi = 40;
    d[1].hi = d[1].lo + 1 + choose(g, 70);
    Value u = *base_array(g, t, ty_real(t) ? (Size){3, 1} : ty_size(t), rank, d);
    for (int k = 0; k < rank; k++) {
        d[k].lo -= choose(g, 3) - 1;
        d[k].hi += choose(g, 3) - 1;
        if (d[k].hi <= d[k].lo) d[k].hi = d[k].lo + 1;
    }
    bool window = choose(g, 3) == 2, narrow = r == INT && t != INT && choose(g, 2);
    if (narrow) r = t;
    Value v = *new_value(g, "y", r, ty_real(t) ? (Size){14, 4} : ty_size(r), rank, d, true);
    text_add(g->out, "    ");
    write_type(g, r, rank, true);
    text_printf(g->out, " %s(i : %d..%d", v.name, d[0].lo, d[0].hi);
    if (rank == 2) text_printf(g->out, ", j : %d..%d", d[1].lo, d[1].hi);
    text_printf(g->out, ") = (%s) (", ty_name(r));
    if (window) write_border_window(g, &u);
    for (int k = 0; k < n && !window; k++) {
        if (k) text_add(g->out, " + ");
        write_near(g, &u, ty_real(t) || t == LONG ? "" : "(int) ");
        if (choose(g, 2)) text_printf(g->out, " * %d", choose(g, 4));
    }
    if (narrow && !window && choose(g, 2)) text_printf(g->out, " >> %d", choose(g, 3));
    text_add(g->out, ");\n");
    show(g, &v);
}

/* ---- narrow lanes ------------------------------------------------------------------------------ */

/* Bytes and shorts: arithmetic that wraps, or does not. */
void stmt_narrow(Gen *g)
{
    static const Ty types[] = {BYTE, SHORT, SBYTE, USHORT};
    static const char *const forms[] = {
        "%a(i) + %b(i)",
        "(%a(i) & 15) * 3 + (%b(i) >> 1)",
        "%a(i) > %b(i) ? (int) %a(i) : %b(i)",
        "(%a(i) + %b(i) + 1) >> 1",
        "%a(i) ^ %b(i) & 85 | 1",
        "~%a(i)",
        "%a(i) == %b(i) ? 1 : %a(i) << 3",
        "Math.Min(%a(i) + %b(i), 100)",
        "%a(i) / 3 - %b(i) % 7",
        "%a(i) * %b(i) >> 4",
        "i > 3 && %a(i) < 50 ? %b(i) : -%a(i)",
        "%a(i) - %b(i) < 0 ? %b(i) - %a(i) : %a(i) - %b(i)",
        "sum(d : 0..3, d * %a(i) + %b(i))",
        "(%a(i) * 77 + %b(i) * 150 + i * 29 + 128) >> 8",
    };
    Ty t = ONE_OF(g, types), o = choose(g, 3) == 2 ? ONE_OF(g, types) : t;
    Span d = {0, choose_length(g)};
    Value a = *base_array(g, t, ty_size(t), 1, &d), b = *base_array(g, o, ty_size(o), 1, &d);
    Value v = *new_value(g, "y", t, ty_size(t), 1, &d, true);
    covered("narrow lanes");
    text_printf(g->out, "    %s[] %s(i : 0..%d) = (%s) (", ty_name(t), v.name, d.hi, ty_name(t));
    write_form(g->out, ONE_OF(g, forms), "ab", (const char *const[]){a.name, b.name});
    text_add(g->out, ");\n");
    show(g, &v);
    if (choose(g, 2)) return;
    covered("reduction of narrow lanes");
    text_printf(g->out, "    Console.WriteLine(sum(i : 0..%d, %s(i) > %d ? 1 : 0));\n", d.hi,
                a.name, choose(g, 60));
    text_printf(g->out, "    Console.WriteLine(sum(i : 0..%d, (int) %s(i) * %s(i)));\n", d.hi,
                v.name, b.name);
}

/* ---- gathers and errors ------------------------------------------------------------------------ */

/* Reads where elements say and divisions by them, of which one would fail: under a condition that leaves
 * it out, or as an error. One element only, so that all configurations tell the same. */
void stmt_gather(Gen *g)
{
    static const char *const types[] = {"int", "float", "byte", "long", "double", "short"};
    static const struct {
        int rank;
        const char *text;
    } forms[] = {
        {1, "%t[] %y(i : 0..%n) = (%t) (%c ? %r : 7);"},
        {1, "%t[] %y(i : 0..%n) = (%t) (%c ? %r * 2 + i % 3 : i);"},
        {0, "%t %y = (%t) sum(i : 0..%n, %c ? %r : 0);"},
        {0, "%t %y = (%t) max(i : 0..%n, %c ? %r : 0);"},
        {1, "double[] %y(k : 0..5) = sum(i : 0..%n, %c ? (double) %r * k : 0.0);"},
        {1, "long[] %y(k : 0..6) = sum(i : 0..%n, i % 6 == k && %c ? (long) %r : 0);"},
        {1, "int[] %y(i : 0..%n) = i == 0 ? 1 : %y(i - 1) + (%c ? (int) %r : 3);"},
        {1, "int[] %y(i : 0..%n) = %c ? 100 / (%p(i) - (%o)) + i % (%p(i) - (%o)) : 1;"},
        {2, "%t[,] %y(i : 0..%n, j : 0..9) = (%t) (%c && j > 1 ? %r + j : j);"},
        {0, "long %y = sum(i : 0..%n, %c ? 1000 / (%p(i) - (%o)) : 5);"},
        {1, "double[] %y(i : 0..%n) = sum(k : 0..3, %c ? (double) %r + k : 0.5);"},
        {0, "bool %y = any(i : 0..%n, %c && %r > 11);"}, /* may end before the error */
    };
    enum { FORMS = sizeof forms / sizeof *forms };
    int n = choose_length(g) + 1, m = 1 + choose(g, 40), bad = choose(g, n);
    int outside = choose(g, 2) ? -1 - choose(g, 3) : m + choose(g, 5);
    bool good = choose(g, 3) > 0, where = choose(g, 2);
    int form = choose(g, good ? FORMS : FORMS - 1);
    char p[16], a[16], y[16], count[16], out[16], cond[80], read[40];
    new_name(g, p, "gp");
    new_name(g, a, "ga");
    new_name(g, y, "gy");
    snprintf(read, sizeof read, "%s(%s(i))", a, p);
    if (good && !where)
        snprintf(cond, sizeof cond, "(%s(i) >= 0 && %s(i) < %d)", p, p, m);
    else
        snprintf(cond, sizeof cond, good ? "i != %d" : where ? "i <= %d" : "i != %d - 1000", bad);
    covered(good ? "gather" : "gather with an error");
    text_printf(g->out, "    int[] %s(i : 0..%d) = i == %d ? %d : (i * %d + %d) %% %d;\n", p, n,
                bad, outside, 1 + choose(g, 9), choose(g, 5), m);
    const char *t = ONE_OF(g, types);
    text_printf(g->out, "    %s[] %s(i : 0..%d) = (%s) (i * 5 %% 13);\n    try {\n        ", t, a,
                m, t);
    write_form(g->out, forms[form].text, "typrnoc",
               (const char *const[]){t, y, p, read, number_text(count, n),
                                     number_text(out, outside), cond});
    if (forms[form].rank)
        text_printf(g->out, "\n        show%d(\"%s\", %s);\n", forms[form].rank, y, y);
    else
        text_printf(g->out, "\n        Console.WriteLine(\"%s \" + text(%s));\n", y, y);
    text_add(g->out, "    } catch (Exception e) {\n        Console.WriteLine(told(e));\n    }\n");
}

/* ---- functions --------------------------------------------------------------------------------- */

/* Functions whose lanes take different numbers of turns and return at different places. */
void stmt_lane_function(Gen *g)
{
    static const char *const bodies[] = {
        "    %t n = 0;\n    while (x > 1 && n < %k) { x = x % 2 == 0 ? x / 2 : 3 * x + 1; n++; }\n"
        "    return n;\n",
        "    for (int k = 0; k < %k; k++) {\n        if (x > y * 3) return k - x;\n"
        "        if (x == y) continue;\n        x = x + (x & 3) + 1;\n    }\n    return x ^ y;\n",
        "    %t u = 0, v = 1;\n    for (int k = 0; ; k++) {\n        if (k >= %k) break;\n"
        "        if (u * u + v > x) return u + v * 100 + k;\n        %t w = u + v; u = v; v = w;\n"
        "    }\n    return -1;\n",
        "    if (x < 0) return -x;\n    if (y == 0) { y = 5; if (x > 10) return x % 7; }\n"
        "    while (y != 0) { %t r = x % y; x = y; y = r; }\n    return x;\n",
        "    %t s = 0;\n    for (%t k = y; k < x && k < y + 30; k += 2) {\n"
        "        for (int l = 0; l < 3; l++) { if (k % 5 == l) break; s += k ^ l; }\n"
        "        if (s > 1000) return s;\n    }\n    return s;\n",
        "    var p = new P_%f(x & 15, y & 7);\n    for (int k = 0; k < %k; k++) {\n"
        "        p = new P_%f(p.a * p.a - p.b & 63, p.a + p.b & 31);\n"
        "        if (p.a > 50) return p.b + k * 100;\n    }\n    return p.a * p.b;\n",
        "    switch (x & 3) {\n    case 0: return y;\n    case 1: x += y; break;\n"
        "    default: do { x -= 3; y++; } while (x > 5 && y < 60); break;\n    }\n"
        "    return x * y;\n",
    };
    static const char *const uses[] = {
        "%f(%a(i) * %k + i, i % 9)", "%a(i) > 0 ? %f(i, %a(i)) : %a(i)",
        "sum(k : 0..%n, %f(%a(k) + i, k - i))", "i + %f(i % 13, 4)", "max(k : 0..5, %f(k, %a(i)))"};
    int which = choose(g, (int)(sizeof bodies / sizeof *bodies)), n = choose_length(g);
    const char *t = choose(g, 3) == 2 ? "long" : "int";
    Ty ty = *t == 'l' ? LONG : INT;
    char f[16], name[40], turns[16], most[16];
    new_name(g, f, "lf");
    snprintf(name, sizeof name, "%s_%d", f, g->number);
    number_text(turns, 1 + choose(g, 40));
    covered("function in lanes");
    if (which == 5) text_printf(&g->decls, "final class P_%s(%s a, %s b) { }\n", name, t, t);
    text_printf(&g->decls, "%s %s(%s x, %s y) {\n", t, name, t, t);
    write_form(&g->decls, bodies[which], "tkf", (const char *const[]){t, turns, name});
    text_add(&g->decls, "}\n");
    Span d = {0, n};
    Value a = *base_array(g, ty, (Size){3, 0}, 1, &d);
    Value v = *new_value(g, "y", ty, ty_size(ty), 1, &d, true);
    const char *values[] = {a.name, name, turns, number_text(most, n && n < 40 ? n : 5)};
    if (!n) values[3] = "0";
    text_printf(g->out, "    %s[] %s(i : 0..%d) = ", t, v.name, n);
    write_form(g->out, ONE_OF(g, uses), "afkn", values);
    text_add(g->out, ";\n");
    show(g, &v);
    if (choose(g, 2)) return;
    covered("reduction of a function in lanes");
    text_printf(g->out, "    Console.WriteLine(sum(i : 0..%d, %s(%s(i), i)));\n", n, name, a.name);
    text_printf(g->out, "    Console.WriteLine(any(i : 0..%d, %s(i, 3) == 7));\n", n, name);
}

/* ---- ranges ------------------------------------------------------------------------------------ */

/* Sums over ranges that shift from place to place, windows, and searches that end early. */
void stmt_shift(Gen *g)
{
    static const char *const forms[] = {
        "sum(i : 0..%n - k, %a(i) * %a(i + k))",
        "sum(i : k..%n, %a(i) * %a(i - k))",
        "sum(i : k..%n - k, %a(i) * (k + 1))",
        "max(i : 0..k + 1, %a(i))",
        "sum(i : 2 * k / 2..%n, %a(i))",
        "+ (i : k..k + 1, %a(i))",
        "sum(i : 0..%n - k, %a(i)) + sum(i : 0..%n - k, %a(i) * %a(i + k))",
        "min(i : k..%n, %a(i) > 2 ? i : %n)", /* ints from here on */
        "sum(i : 0..%n - k, %a(i) > %a(i + k) ? 1 : 0)",
        "any(i : 0..%n - k, %a(i) == %a(i + k) + 1) ? 1 : k",
        "all(i : 0..%n, %a(i) + k > 2 || i != k) ? 3 : 2",
        "min(i : 0..%n, %a(i) == k ? i : %n)"};
    static const Ty types[] = {INT, FLOAT, LONG, DOUBLE};
    Ty t = ONE_OF(g, types);
    int n = choose_length(g) + 1, form = choose(g, (int)(sizeof forms / sizeof *forms));
    if (n > 140) n = 140;
    char count[16];
    Span d = {0, n};
    Value a = *base_array(g, t, (Size){3, 0}, 1, &d);
    Ty r = form >= 7 ? INT : t;
    Value v = *new_value(g, "y", r, ty_real(r) ? (Size){15, 0} : ty_size(r), 1, &d, true);
    covered("shifting range");
    text_printf(g->out, "    %s[] %s(k : 0..%d) = ", ty_name(r), v.name, n);
    write_form(g->out, forms[form], "na", (const char *const[]){number_text(count, n), a.name});
    text_add(g->out, ";\n");
    show(g, &v);
}

/* Operands that lie the other way round. */
void stmt_turned(Gen *g)
{
    static const char *const forms[] = {
        "%a(j, i)", "%a(j, i) + %b(i, j)", "%a(j, i) * 2 - %a(j, i)",
        "%a(j, i) > %b(i, j) ? %a(j, i) : 1", "%a(j, i) + %b(i, j) * %a(j, i) + i - j"};
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, SHORT};
    Ty t = ONE_OF(g, types), r = t == BYTE || t == SHORT ? INT : t;
    Span d[3] = {{0, 1 + choose(g, 70)}, {0, 1 + choose(g, 40)}, {0, 1 + choose(g, 4)}};
    Span e[2] = {d[1], d[0]};
    Value a = *base_array(g, t, (Size){3, 0}, 2, e), b = *base_array(g, t, (Size){3, 0}, 2, d);
    int rank = choose(g, 4) == 3 ? 3 : 2;
    Size s = ty_real(r) ? (Size){12, 0} : ty_size(r);
    Value v = *new_value(g, "y", r, s, rank, d, true);
    covered("turned");
    text_add(g->out, "    ");
    write_type(g, r, rank, true);
    text_printf(g->out, " %s(i : 0..%d, j : 0..%d", v.name, d[0].hi, d[1].hi);
    if (rank == 3) text_printf(g->out, ", k : 0..%d", d[2].hi);
    text_add(g->out, rank == 3 ? ") = k + " : ") = ");
    write_form(g->out, ONE_OF(g, forms), "ab", (const char *const[]){a.name, b.name});
    text_add(g->out, ";\n");
    show(g, &v);
}
