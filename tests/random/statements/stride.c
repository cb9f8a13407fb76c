/* Statements whose reads move by other steps than one along lanes: strides, backwards, diagonals; few results of
 * long reductions; user operations over ranges of every kind, with nothing for an empty one; steps that user
 * operations combine. */
#include "../random.h"

#include <stdio.h>
#include <string.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

/* A definition from a form; what may fail is told by its kind. */
static void define(Gen *g, const char *form, Ty t, Size s, int rank, const Span *d,
                   const char *marks, const char **values, bool fails)
{
    Value v = *new_value(g, "y", t, s, rank, d, true);
    if (fails) { /* not for others: there may be none */
        g->nvalues--;
        text_add(g->out, "    try {\n");
    }
    text_add(g->out, "    ");
    write_type(g, t, rank, true);
    values[0] = v.name;
    write_form(g->out, form, marks, values);
    text_add(g->out, ";\n");
    show(g, &v);
    if (fails) /* which dimension is outside ref tells otherwise */
        text_printf(g->out,
                    "    } catch (Exception e) {\n        Console.WriteLine(%s(e));\n    }\n",
                    rank > 1 ? "kind" : "told");
}

/* ---- strides ----------------------------------------------------------------------------------- */

/* 2 * i + 1, 9 - i: an index of i in 0..n that stays in 0..length */
static void write_strided(Gen *g, Text *out, const char *var, int n, int length)
{
    int most = n > 1 ? (length - 1) / (n - 1) : 4, by = most > 0 ? choose(g, most + 1) : 0;
    if (by > 5) by = 2;
    int room = length - 1 - by * (n - 1), at = room > 0 ? choose(g, room < 9 ? room + 1 : 9) : 0;
    if (choose(g, 3) == 2)
        text_printf(out, by == 1 ? "%d - %s" : "%d - %s * %d", by * (n - 1) + at, var, by);
    else if (by == 1)
        text_printf(out, "%s + %d", var, at);
    else
        text_printf(out, choose(g, 2) ? "%d * %s + %d" : "(%d * %s) + %d", by, var, at);
}

void stmt_stride(Gen *g)
{
    static const char *const forms[] = {" %y(i : 0..%n) = (%t) (%a)",
                                        " %y(i : 0..%n) = (%t) (%a + %b)",
                                        " %y(i : 0..%n) = (%t) (%a > %b ? %a : %b)",
                                        " %y(i : 0..%n) = (%t) (i % 3 == 0 ? %a : %b)",
                                        " %y(i : 0..%n) = (%t) (i > 2 && i < %n - 3 ? %a - %b : 1)",
                                        " %y(k : 0..5) = (%t) sum(i : 0..%n, %a * (k + 1))",
                                        " %y(k : 0..4) = (%t) max(i : 0..%n, k > 1 ? %a : %b)",
                                        " %y(i : 0..%n) = (%t) sum(k : 0..3, %a * (k + 1) + %b)",
                                        " %y(i : 0..%n) = (%t) (max(%a, %b) - %b)",
                                        " %y(i : 0..%n) = (%t) (%a * 2 + Mirror(%u)(3 * i - 4))"};
    static const char *const squares[] = {
        " %y(i : 0..%n, j : 0..%m) = (%t) %a",
        " %y(i : 0..%n, j : 0..%m) = (%t) (%a + %b)",
        " %y(j : 0..%m, i : 0..%n) = (%t) (%a - %b)",
        " %y(i : 0..%n, j : 0..%m) = (%t) (i == j ? %a : %b)",
        " %y(i : 0..%n) = (%t) sum(j : 0..%m, %a)",
        " %y(i : 0..%n) = (%t) max(j : 0..%m, %a - %b)",
        " %y(j : 0..%m) = (%t) sum(i : 0..%n, %a * (j & 1))",
        " %y(i : 0..%n, k : 0..%m) = (%t) sum(j : 0..%m, %a * (k - j))"};
    static const Ty types[] = {INT, FLOAT, BYTE, DOUBLE, SHORT, LONG, SBYTE, USHORT};
    Ty t = ONE_OF(g, types), r = ty_real(t) || t == LONG ? t : choose(g, 2) ? INT : t;
    bool two = choose(g, 3) == 2;
    int n = choose_length(g) + 1, m = 1 + choose(g, 20), by = 1 + choose(g, 4);
    if (n > 140) n = two ? 33 : 140;
    if (two && n > 40) n = 17;
    Span d[2] = {{0, n * (two ? 1 + choose(g, 2) : by) + choose(g, 9)}, {0, m * by + choose(g, 5)}};
    if (two && choose(g, 3) == 2) d[0].hi = n + m + choose(g, 4); /* diagonals */
    Value u = *base_array(g, t, (Size){3, 0}, two ? 2 : 1, d);
    Text read[2] = {0};
    covered(two ? "strided reads of two" : "strided reads");
    for (int k = 0; k < 2; k++) {
        text_printf(&read[k], "%s(", u.name);
        if (two && span_len(d[0]) >= n + m - 1 && choose(g, 2)) {
            covered("diagonal reads");
            text_add(&read[k], choose(g, 2) ? "i + j, " : "i - j + ");
            if (read[k].data[read[k].len - 2] == '+') text_printf(&read[k], "%d, ", m - 1);
        } else {
            write_strided(g, &read[k], "i", n, d[0].hi);
            if (two) text_add(&read[k], ", ");
        }
        if (two) write_strided(g, &read[k], "j", m, d[1].hi);
        text_add(&read[k], ")");
    }
    int form = choose(g, two ? 8 : 10);
    char count[16], other[16];
    Span lines[2] = {{0, n}, {0, m}}, turned[2] = {lines[1], lines[0]}, few = {0, 5 - (form == 6)};
    const Span *domain = two                      ? form == 2   ? turned
                                                    : form == 6 ? &lines[1]
                                                                : lines
                         : form == 5 || form == 6 ? &few
                                                  : lines;
    int rank = two ? form < 4 || form == 7 ? 2 : 1 : 1;
    const char *values[] = {NULL,       number_text(count, n), number_text(other, m),
                            ty_name(r), read[0].data,          read[1].data,
                            u.name};
    define(g, two ? squares[form] : forms[form], r, ty_real(r) ? (Size){15, 0} : ty_size(r), rank,
           domain, "ynmtabu", values, false);
    text_free(&read[0]);
    text_free(&read[1]);
}

/* Pixels: the last two variables of three, which follow each other in memory, and what keeps them apart. */
void stmt_pixels(Gen *g)
{
    static const char *const reads[] = {"%p(i, j, c)",
                                        "Clamp(%p)(i, j + 1, c)",
                                        "Clamp(%p)(i - 1, j - 2, c)",
                                        "(j > 0 ? %p(i, j - 1, c) : 2)",
                                        "(j + 2 < %m ? %p(i, j + 2, c) : %q(i, j, c))",
                                        "sum(d : -2..3, Clamp(%p)(i, j + d, c) * (d + 2))",
                                        "sum(d : %w, %w(d) * Clamp(%p)(i, j + d, c))",
                                        "sum(d : %w, %w(d) * Clamp(%p)(i + d, j, c))",
                                        "(i > 0 && j > 1 ? %p(i - 1, j - 2, c) : 1)",
                                        "%q(i, j, c)",
                                        "%q(i, j, c)",
                                        "(%p(i, j, c) > 2 ? %q(i, j, c) : %p(i, j, c))",
                                        "Periodic(%p)(i, j + 1, c)",
                                        "Clamp(%q)(i, j, c + 1)",
                                        "%p(i, j, c) * (c + 1)",
                                        "(c > 0 ? %p(i, j, c - 1) : %q(i, j, c))",
                                        "%p(i, j + 1, c)" /* outside at the end */};
    static const Ty types[] = {INT, FLOAT, BYTE, DOUBLE, SHORT, LONG};
    Ty t = ONE_OF(g, types), r = ty_real(t) || t == LONG ? t : choose(g, 2) ? INT : t;
    Span d[3] = {{0, 1 + choose(g, 5)}, {0, 1 + choose(g, 40)}, {0, 1 + choose(g, 5)}},
         more[3] = {d[0], d[1], {0, d[2].hi + (choose(g, 4) == 3)}}, w = {0, 1 + choose(g, 5)};
    bool window = choose(g, 2), fails = false;
    char m[16];
    Value p = *base_array(g, t, (Size){3, 0}, 3, d), q = *base_array(g, t, (Size){3, 0}, 3, more),
          v = window ? *base_array(g, t, (Size){3, 0}, 1, &w) : p;
    Text form = {0};
    const char *values[] = {NULL, number_text(m, d[1].hi), ty_name(r), p.name, q.name, v.name};
    covered("pixels");
    if (choose(g, 2))
        text_add(&form, " %y(i : %p.Domain(0), j : %p.Domain(1), c : %p.Domain(2)) = (%t) (");
    else
        text_printf(&form, " %%y(i : 0..%d, j : 0..%d, c : 0..%d) = (%%t) (", d[0].hi, d[1].hi,
                    d[2].hi);
    for (int k = choose(g, 3), first = 1; k >= 0; k--, first = 0) {
        int read = choose(g, 16 + (choose(g, 6) == 5));
        if (!window && strstr(reads[read], "%w")) read = 1;
        fails = fails || read == 16;
        text_printf(&form, "%s%s", first ? "" : choose(g, 2) ? " + " : " - ", reads[read]);
    }
    text_add(&form, ")");
    define(g, form.data, r, ty_real(r) ? (Size){14, 0} : ty_size(r), 3, d, "ymtpqw", values, fails);
    text_free(&form);
}

/* Sums of a few measures over many rows, their products, and the like with other operations. */
void stmt_few(Gen *g)
{
    static const char *const forms[] = {
        " %y(k : 0..%m) = sum(i : 0..%n, (%t) %a(i, k))",
        " %y(k : 0..%m, l : 0..%m) = sum(i : 0..%n, (%t) %a(i, k) * %a(i, l))",
        " %y(k : 0..%m) = max(i : 0..%n, (%t) %a(i, k) - k)",
        " %y(k : 0..%m) = sum(i : 0..%n, (%t) %a(i, k) * %a(i, %m - 1 - k)) + 1",
        " %y(k : 0..%m) = sum(i : 0..%n, (%t) %a(i, k)) - sum(i : 0..%n, (%t) %a(i, 0))",
        " %y(k : 0..%m, l : 0..%m) = sum(i : 0..%n, ((%t) %a(i, k) - k) * ((%t) %a(i, l) - l))",
        " %y(k : 0..%m) = min(i : 0..%n, %a(i, k) > 2 ? (%t) %a(i, k) : 7)",
        " %y(k : 0..%m) = sum(i : 0..%n, i % 3 == 0 ? (%t) %a(i, k) : 0)"};
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, SHORT};
    Ty t = ONE_OF(g, types), r = t == BYTE || t == SHORT ? LONG : t;
    Span d[2] = {{0, 1 + choose(g, 400)}, {0, 1 + choose(g, 7)}}, few[2] = {d[1], d[1]};
    int form = choose(g, 8);
    Value a = *base_array(g, t, (Size){3, 0}, 2, d);
    char n[16], m[16];
    const char *values[] = {NULL, number_text(n, d[0].hi), number_text(m, d[1].hi), ty_name(r),
                            a.name};
    covered("few results");
    define(g, forms[form], r, ty_real(r) ? (Size){17, 0} : ty_size(r),
           form == 1 || form == 5 ? 2 : 1, few, "ynmta", values, false);
}

/* ---- user operations ----------------------------------------------------------------------------- */

static const char *const operations[] = {
    "a > b ? a : b",  "a + b", "a ^ b",          "b",
    "a == 0 ? b : a", "a * b", "Math.Min(a, b)", "a & b | a ^ b"};

/* [Associative] int op(int a, int b); returns what others call it. */
static void write_operation(Gen *g, Ty t, char name[40])
{
    static const char *const zeros[] = {NULL, "0", "0", NULL, "0", "1", NULL, NULL};
    int kind = choose(g, 8);
    bool commutes = kind < 3 || kind > 4, zero = zeros[kind] && choose(g, 2);
    char own[16];
    new_name(g, own, "uo");
    snprintf(name, 40, "%s_%d", own, g->number);
    text_printf(&g->decls, "[Associative%s", commutes && choose(g, 3) ? ", Commutative" : "");
    if (zero) text_printf(&g->decls, ", Identity(%s)", zeros[kind]);
    text_printf(&g->decls, "] %s %s(%s a, %s b) => %s;\n", ty_name(t), name, ty_name(t), ty_name(t),
                operations[kind]);
}

/* Over ranges that may be empty: an error then, unless the operation has an identity. */
void stmt_operation(Gen *g)
{
    static const char *const forms[] = {
        " %y(i : 0..%n) = %o(k : 0..i + 1, %a(k))",
        " %y(i : 0..%n) = %o(k : i..%n, %a(k) + i)",
        " %y(i : 0..%n) = %o(k : 0..%m, %a(i) * k - %a(%n - 1 - i))",
        " %y(i : 0..%n) = %o(k : 0..%m, %a(k % %n)) + %o(k : 0..3, %a(i) ^ k)",
        " %y(i : 0..%n) = i > 2 ? %o(k : 0..i, %a(k)) : i",
        " %y(i : 0..%n) = %o(k : 0..%m, l : 0..%n, %a(l) + k * i)",
        " %y(i : 0..%n) = %o(k : 0..%n, %a(k) == i ? k : %a(i))",
        " %y(i : 0..%n) = %o(k : 0..3, %a((i + k) % %n)) - max(k : 0..%m, %a(k % %n))",
        " %y(i : 0..%n) = %o(k : 0..i, %a(k))" /* of nothing at first */};
    static const Ty types[] = {INT, LONG};
    Ty t = ONE_OF(g, types);
    int form = choose(g, 9);
    char op[40], n[16], m[16];
    Span d = {0, 1 + choose(g, 140)};
    if (form == 5) d.hi = d.hi % 30 + 1;
    write_operation(g, t, op);
    Value a = *base_array(g, t, (Size){3, 0}, 1, &d);
    const char *values[] = {NULL, number_text(n, d.hi), number_text(m, 1 + choose(g, 40)), op,
                            a.name};
    covered(form == 8 ? "user operation of nothing" : "user operation over ranges");
    define(g, forms[form], t, ty_size(t), 1, &d, "ynmoa", values, form == 8);
}

/* s(i) = op(s(i - 1), a(i)), of numbers or of objects. */
void stmt_user_scan(Gen *g)
{
    static const char *const steps[] = {"%o(%y(i - 1), %a(i))", "%o(%y(i - 1), %a(i) * 2 - i)",
                                        "%a(i) > 3 ? %a(i) : %o(%y(i - 1), %a(i))",
                                        "%o(%a(i), %y(i - 1))", "%o(%y(i - 1), %a(2 * i % %n))"};
    static const char *const bodies[] = {
        "new %c(a.v * b.v, b.v * a.at + b.at)", /* linear steps */
        "b.v > a.v || b.v == a.v && b.at < a.at ? b : a",
        "new %c(a.v + b.v, b.at == 0 ? a.at : b.at)",
        "b.at % 5 == 0 ? b : new %c(a.v + b.v, b.at)" /* segments */};
    static const Ty types[] = {INT, LONG};
    Ty t = ONE_OF(g, types);
    int n = 1 + choose_length(g) + choose(g, 3) * 300;
    Span d = {0, n};
    char op[48], count[16];
    Value a = *base_array(g, t, (Size){3, 0}, 1, &d);
    if (choose(g, 2)) {
        Text form = {0};
        write_operation(g, t, op);
        text_printf(&form,
                    choose(g, 2) ? " %%y(i : 0..%%n) = i == 0 ? %%a(i) : %s"
                                 : " %%y(i : 0..%%n) = i > 0 ? %s : %%a(0) + 1",
                    ONE_OF(g, steps));
        const char *values[] = {NULL, number_text(count, n), op, a.name};
        covered("scan by a user operation");
        define(g, form.data, t, ty_size(t), 1, &d, "ynoa", values, false);
        text_free(&form);
        return;
    }
    char c[16], name[40];
    new_name(g, c, "U");
    snprintf(name, sizeof name, "%s_%d", c, g->number);
    snprintf(op, sizeof op, "%s_op", name);
    text_printf(&g->decls, "final class %s(%s v, %s at) { }\n[Associative] %s %s(%s a, %s b) => ",
                name, ty_name(t), ty_name(t), name, op, name, name);
    write_form(&g->decls, ONE_OF(g, bodies), "c", (const char *const[]){name});
    text_add(&g->decls, ";\n");
    covered("scan of objects");
    text_printf(g->out, "    %s[] %s(i : 0..%d) = ", name, c, n);
    write_form(g->out, "i == 0 ? new %c(%a(0), 0) : %o(%s(i - 1), new %c(%a(i), i));\n", "caos",
               (const char *const[]){name, a.name, op, c});
    text_printf(g->out, "    show1(\"%s\", %s);\n", c, c);
}
