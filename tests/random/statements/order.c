/* Statements for what kernels do in an order of their own: scans, wavefronts, reductions by key and by user
 * functions, several results at once. Large enough for parts and tiles where parameters are drawn. */
#include "../random.h"

#include <stdio.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

/* A definition of one array from a form, in which %n, %m are lengths and %y is its name. */
static void define(Gen *g, const char *form, Ty t, int rank, const Span *d, const char *marks,
                   const char **values)
{
    Value v = *new_value(g, "y", t, ty_real(t) ? (Size){17, 2} : ty_size(t), rank, d, true);
    text_add(g->out, "    ");
    write_type(g, t, rank, true);
    values[0] = v.name;
    write_form(g->out, form, marks, values);
    text_add(g->out, ";\n");
    show(g, &v);
}

/* ---- recurrences ------------------------------------------------------------------------------- */

/* Steps that can be taken together: sums, products, extremes, bits, linear ones, with resets; up, down, along
 * either dimension. */
void stmt_scan(Gen *g)
{
    static const char *const steps[] = {"%p + %a",
                                        "%p * (%a | 1)",
                                        "max(%p, %a)",
                                        "min(%p, %a)",
                                        "%p & (%a | 5)",
                                        "%p | %a & 3",
                                        "%p ^ %a",
                                        "%p * 3 + %a",
                                        "(%a > 2 ? 0 : %p) + %a",
                                        "%a > 3 ? %a : %p",
                                        "%a - %p",
                                        "min(max(%p + %a, -3), 9)",
                                        "%a == 1 ? 7 : max(%p, %a)"};
    static const char *const reals[] = {"%p + %a", "max(%p, %a)", "min(%p, %a)",
                                        "%a > 3 ? %a : %p + %a", "max(%p - 1, %a)"};
    static const Ty types[] = {INT, LONG, FLOAT, DOUBLE, UINT};
    Ty t = ONE_OF(g, types);
    int form = choose(g, 5), n = choose_length(g) + choose(g, 3) * 200;
    if (ty_real(t) && n > 300) n = 300;
    const char *step = ty_real(t) ? ONE_OF(g, reals) : ONE_OF(g, steps);
    if (t == UINT) step = steps[choose(g, 4)];
    bool two = form >= 3;
    Span d[2] = {{0, n}, {0, 1 + choose(g, 40)}};
    if (two) d[0].hi = n % 40 + 1;
    if (form == 4) d[1].hi += choose(g, 3) * 100;
    Value a = *base_array(g, t, (Size){3, 0}, two ? 2 : 1, d);
    char count[16], other[16], first[16], at[32], before[32];
    number_text(count, d[0].hi);
    number_text(other, d[1].hi);
    number_text(first, form == 1 ? d[0].hi - 1 : choose(g, 3));
    snprintf(at, sizeof at, "%s(%s)", a.name, two ? "i, j" : "i");
    covered(two ? "scan of lines" : "scan");
    static const char *const heads[] = {
        " %y(i : 0..%n) = i <= %f ? %a : %s", " %y(i : 0..%n) = i >= %f ? %a : %s",
        " %y(i : 0..%n) = i > %f ? %s : %a", " %y(i : 0..%n, j : 0..%m) = i <= %f ? %a : %s",
        " %y(i : 0..%n, j : 0..%m) = j <= %f ? %a : %s"};
    static const char *const reads[] = {"%y(i - 1)", "%y(i + 1)", "%y(i - 1)", "%y(i - 1, j)",
                                        "%y(i, j - 1)"};
    Value v = *new_value(g, "y", t, ty_real(t) ? (Size){17, 2} : ty_size(t), two ? 2 : 1, d, true);
    g->nvalues--;
    Text read = {0}, text = {0};
    const char *names[] = {v.name};
    write_form(&read, reads[form], "y", names);
    snprintf(before, sizeof before, "%s", read.data);
    write_form(&text, step, "pa", (const char *const[]){before, at});
    text_add(g->out, "    ");
    write_type(g, t, v.rank, true);
    const char *values[] = {v.name, count, other, first, at, text.data};
    write_form(g->out, heads[form], "ynmfas", values);
    text_add(g->out, ";\n");
    text_free(&read);
    text_free(&text);
    g->values[g->nvalues++] = v;
    show(g, &v);
}

/* Over two variables, each element from those before it in both. */
void stmt_wave(Gen *g)
{
    static const char *const forms[] = {
        " %y(i : 0..%n, j : 0..%m) = i == 0 || j == 0 ? %a(i, j) : max(max(%y(i - 1, j), %y(i, j - "
        "1)), %y(i - 1, j - 1)) + %a(i, j)",
        " %y(i : 0..%n, j : 0..%m) = i == 0 ? j : j == 0 ? i : min(min(%y(i - 1, j), %y(i, j - 1)) "
        "+ 1, %y(i - 1, j - 1) + (%a(i, j) > 2 ? 1 : 0))",
        " %y(i : 0..%n, j : 0..%m) = i == %n - 1 || j == %m - 1 ? %a(i, j) : max(%y(i + 1, j) - "
        "%y(i, j + 1), %y(i + 1, j + 1)) + %a(i, j)",
        " %y(i : 0..%n, j : 0..%m) = i < 1 || j >= %m - 2 ? %a(i, j) : min(%y(i - 1, j), %y(i, j + "
        "2)) + %y(i - 1, j + 1) % 64 + 1",
        " %y(i : 0..%n, j : 0..%m) = i == 0 || j < 2 ? i - j : max(%y(i - 1, j), %y(i, j - 2)) + "
        "%a(i, j)",
        " %y(i : 0..%n, j : 0..%m) = i == 0 || j == 0 || j == %m - 1 ? %a(i, j) : min(%y(i - 1, j "
        "+ 1), %y(i, j - 1)) + %a(i, j)",
        " %y(j : 0..%m, i : 0..%n) = i == 0 ? j : j == %m - 1 ? i : max(%y(j, i - 1), %y(j + 1, "
        "i)) + 1",
        " %y(i : 0..%n, j : 0..%m) = i == 0 || j == 0 ? 1 : %a(i, j) > 6 ? 0 : (%y(i - 1, j) + "
        "%y(i, j - 1)) % 32"};
    static const Ty types[] = {INT, LONG, FLOAT, DOUBLE};
    Ty t = ONE_OF(g, types);
    Span d[2] = {{0, 1 + choose(g, 70)}, {0, 1 + choose(g, 90)}}, e[2] = {d[1], d[0]};
    Value a = *base_array(g, t, (Size){3, 0}, 2, d);
    int form = choose(g, 8);
    if (ty_real(t) && (form == 3 || form == 7)) form = 0;
    char n[16], m[16];
    const char *values[] = {NULL, number_text(n, d[0].hi), number_text(m, d[1].hi), a.name};
    covered("wavefront");
    define(g, forms[form], t, 2, form == 6 ? e : d, "ynma", values);
}

/* ---- by key ------------------------------------------------------------------------------------ */

/* Tables of several keys, under conditions, of bytes, of what shares a key. */
void stmt_table(Gen *g)
{
    static const char *const forms[] = {
        " %y(b : -2..%k) = sum(i : 0..%n, %q(i) == b ? 1 : 0)",
        " %y(b : 0..%k) = sum(i : 0..%n, %q(i) == b && %w(i) > 2 ? %w(i) : 0)",
        " %y(b : 0..%k) = max(i : 0..%n, %q(i) == b ? %w(i) : -9)",
        " %y(b : 0..%k) = sum(i : 0..%n, b - 1 == %q(i) ? %w(i) : 0) - sum(i : 0..%n, %q(i) == b ? "
        "1 : 0)",
        " %y(b : 0..%k) = sum(i : 0..%n, (%q(i) == b ? 1 : 0) * %w(i))",
        " %y(b : 0..%k) = min(i : 0..%n, %q(i) == b ? i : 9999)",
        " %y(b : 0..%k) = sum(i : 0..%n, j : 0..3, %q(i) + j == b ? %w(i) : 0)",
        " %y(b : 0..%k) = sum(i : 0..%n, %q(i) != b ? 0 : %w(i) < 5 ? 2 : 0)",
        " %y(b : 0..%k) = any(i : 0..%n, %q(i) == b && %w(i) == 3) ? 1 : 0",
        " %y(r : 0..3, b : 0..%k) = sum(i : 0..%n, %q(i) == b ? %w(i) + r : 0)",
        " %y(b : 0..%k, c : 0..4) = sum(i : 0..%n, %q(i) == b && i % 4 == c ? %w(i) : 0)",
        " %y(b : 0..%k, c : -1..5) = sum(i : 0..%n, %q(i) == b && %w(i) == c ? 1 : 0)",
        " %y(b : 0..%k, d : 0..21) = sum(i : 0..%n, %q(i) == b ? %w(i) - d : 0)",
        " %y(d : 0..19, b : 0..%k) = max(i : 0..%n, %q(i) == b ? %w(i) + d : -9)",
        " %y(b : 0..%k, c : 0..4) = sum(i : 0..%n, j : 0..4, i == b + c && j <= c ? %w(i) : 0)",
        " %y(b : 0..%k, c : 0..4) = sum(i : 0..%k, i == %q(b + c) && c != 2 ? %w(i) : 0)"};
    static const Ty keys[] = {INT, BYTE, LONG, SHORT}, types[] = {INT, FLOAT, LONG, DOUBLE};
    int form = choose(g, (int)(sizeof forms / sizeof *forms)),
        n = choose_length(g) + choose(g, 3) * 400;
    int most = 1 + choose(g, 3) * choose(g, 60);
    if (form == 2 || form == 5 || form == 13) n++;   /* extremes of something */
    if (form == 15) n = n < most + 4 ? most + 4 : n; /* what picks is there */
    Ty q = ONE_OF(g, keys),
       t = form == 0 || form == 5 || form == 8 || form == 11 ? INT : ONE_OF(g, types);
    char count[16], key[16], top[16], name[16];
    new_name(g, name, "kq");
    number_text(count, n);
    number_text(key, most);
    number_text(top, most + choose(g, 3));
    covered("table by key");
    text_printf(g->out, "    %s[] %s(i : 0..%d) = (%s) ((i * %d + i / 5) %% %s);\n", ty_name(q),
                name, n, ty_name(q), 1 + choose(g, 40), top);
    Span d = {0, n};
    Value w = *base_array(g, t, (Size){3, 0}, 1, &d);
    Span ranges[2] = {{form == 0 ? -2 : 0, most}, {0, 4}};
    if (form == 9) ranges[0] = (Span){0, 3}, ranges[1] = (Span){0, most};
    if (form == 12) ranges[1] = (Span){0, 21};
    if (form == 13) ranges[0] = (Span){0, 19}, ranges[1] = (Span){0, most};
    if (form == 11) ranges[1] = (Span){-1, 5};
    const char *values[] = {NULL, count, key, name, w.name};
    define(g, forms[form], t, form >= 9 ? 2 : 1, ranges, "ynkqw", values);
}

/* ---- user operations, several results ---------------------------------------------------------- */

/* Reductions over objects: of all, of rows, of columns, by key. */
void stmt_best(Gen *g)
{
    static const char *const bodies[] = {
        "b.v > a.v || b.v == a.v && b.at < a.at ? b : a", /* in any order */
        "new %c(a.v + b.v, Math.Max(a.at, b.at))", "new %c(Math.Min(a.v, b.v), a.at ^ b.at)"};
    static const char *const zeros[] = {"-1000000, 1000000", "0, -1000000", "1000000, 0"};
    static const char *const uses[] = {"%o(i : 0..%n, j : 0..%m, new %c(%a(i, j), i * %m + j))",
                                       "%o(j : 0..%m, new %c(%a(k, j), j))",
                                       "%o(i : 0..%n, new %c(%a(i, k), i - k))",
                                       "%o(j : 0..%m, j > k ? new %c(%a(k, j), j) : new %c(%z))"};
    static const Ty types[] = {INT, LONG};
    Ty t = ONE_OF(g, types);
    int which = choose(g, 3), use = choose(g, 4);
    char c[16], name[40], op[48], n[16], m[16];
    new_name(g, c, "B");
    snprintf(name, sizeof name, "%s_%d", c, g->number);
    snprintf(op, sizeof op, "%s_best", name);
    Span d[2] = {{0, 1 + choose(g, 40)}, {0, 1 + choose(g, 90)}};
    text_printf(&g->decls, "final class %s(%s v, int at) { }\n[Associative, Commutative", name,
                ty_name(t));
    bool identity = choose(g, 3) > 0;
    if (identity) text_printf(&g->decls, ", Identity(new %s(%s))", name, zeros[which]);
    text_printf(&g->decls, "] %s %s(%s a, %s b) => ", name, op, name, name);
    write_form(&g->decls, bodies[which], "c", (const char *const[]){name});
    text_add(&g->decls, ";\n");
    covered("user reduction to objects");
    Value a = *base_array(g, t, (Size){3, 0}, 2, d);
    const char *values[] = {
        op, number_text(n, d[0].hi), number_text(m, d[1].hi), name, a.name, zeros[which]};
    if (use == 0) {
        text_printf(g->out, "    var %s = ", c);
        write_form(g->out, uses[0], "onmcaz", values);
        text_printf(g->out, ";\n    Console.WriteLine($\"%s {%s.v} {%s.at}\");\n", c, c, c);
        return;
    }
    text_printf(g->out, "    %s[] %s(k : 0..%d) = ", name, c, use == 2 ? d[1].hi : d[0].hi);
    write_form(g->out, uses[use], "onmcaz", values);
    text_printf(g->out, ";\n    show1(\"%s\", %s);\n", c, c);
}

/* Results of one pass: a sweep and its error, sums that share what they add, mean and more. */
void stmt_results(Gen *g)
{
    static const char *const forms[] = {
        "%t[] %y(i : 0..%n) = i > 0 && i < %n - 1 ? max(%a(i - 1), %a(i + 1)) - 1 : %a(i);\n"
        "    %t %z = max(i : 0..%n, Math.Abs(%y(i) - %a(i)));",
        "%t[] %y(i : 0..%n) = sum(j : 0..%n, %a(j) * %a(i));\n    %t %z = sum(i : 0..%n, %a(i)) + "
        "max(i : 0..%n, %a(i));",
        "%t[] %y(i : 0..%n) = %a(i) * 2 - 1;\n    %t[] %z2(i : 0..%n) = %y(i) + %a(i);\n    %t %z "
        "= sum(%z2);",
        "%t[] %y(i : 0..%n) = max(j : 0..%n, %a(j) - %a(i)) + sum(j : 0..%n, j < i ? %a(j) : 0);\n "
        "   %t %z = min(%y);"};
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG};
    Ty t = ONE_OF(g, types);
    int n = choose_length(g) % 140 + 1;
    char y[16], z[16], count[16];
    Span d = {0, n};
    Value a = *base_array(g, t, (Size){3, 0}, 1, &d);
    new_name(g, y, "ry");
    new_name(g, z, "rz");
    covered("several results");
    text_add(g->out, "    ");
    write_form(g->out, ONE_OF(g, forms), "tynaz",
               (const char *const[]){ty_name(t), y, number_text(count, n), a.name, z});
    text_printf(g->out, "\n    show1(\"%s\", %s);\n    Console.WriteLine(\"%s \" + text(%s));\n", y,
                y, z, z);
}

/* A recurrence whose steps are sums over the slices before: h(t, i) = t == 0 ? a(i) : sum(j, w(i, j) * h(t - 1, j)), forwards
 * or backwards, one slice or two back, of vectors or matrices. Integers wrap, so every order is exact. */
void stmt_by_slices(Gen *g)
{
    static const int lengths[] = {9, 1, 2, 5, 16, 17, 24, 33};
    static const char *const names[] = {"sum", "max", "sum"};
    bool matrix = choose(g, 2), down = choose(g, 2), turned = choose(g, 2), two = choose(g, 3) == 2;
    int lo = choose(g, 3) == 2 ? choose(g, 7) - 3 : 0, steps = 1 + choose(g, 7),
        n = lengths[choose(g, 8)], rows = matrix ? lengths[choose(g, 8)] : 1, op = choose(g, 3),
        end = lo + steps;
    Ty t = choose(g, 3) == 2 ? LONG : INT;
    Span d[3] = {{lo, end}, {0, rows}, {0, n}}, square[2] = {{0, n}, {0, n}};
    Value w = *base_array(g, choose(g, 2) ? t : INT, (Size){5, 0}, 2, square);
    Value a = *base_array(g, t, (Size){7, 0}, 2, d + 1);
    if (!matrix) d[1] = d[2];
    Value h = *new_value(g, "h", t, ty_size(t), matrix ? 3 : 2, d, true);
    const char *row = matrix ? "r, " : "";
    covered(matrix ? "slices of matrices" : "slices of vectors");
    text_add(g->out, "    ");
    write_type(g, t, h.rank, true);
    text_printf(g->out, " %s(t : %d..%d, ", h.name, lo, end);
    if (matrix) text_printf(g->out, "r : 0..%d, ", rows);
    text_printf(g->out, "i : 0..%d) = ", n);
    if (down)
        text_printf(g->out, "t >= %d", two ? end - 2 : end - 1);
    else
        text_printf(g->out, two ? "t < %d" : "t == %d", two ? lo + 2 : lo);
    text_printf(g->out, " ? %s(%s, i) + t : %s(j : 0..%d, %s(%s) * %s(t %s 1, %sj))", a.name,
                matrix ? "r" : "0", names[op], n, w.name, turned ? "j, i" : "i, j", h.name,
                down ? "+" : "-", row);
    if (two)
        text_printf(g->out, " - %s(t %s 2, %s%s)", h.name, down ? "+" : "-", row,
                    choose(g, 2) ? "i" : "0");
    if (choose(g, 2)) text_printf(g->out, " + %s(%s, i) * t", a.name, matrix ? "r" : "0");
    text_add(g->out, ";\n");
    show(g, &h);
}
