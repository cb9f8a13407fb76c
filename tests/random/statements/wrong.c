/* Statements that may be wrong, in the shapes that kernels know: affine reads of which some fall outside,
 * divisions by zero, extremes of nothing. Every configuration says that they are, and of what kind; where
 * one element alone is wrong, with the same words. */
#include "../random.h"

#include <stdio.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

/* %a has n elements, %b n times m; %p and %q are small numbers, which may be negative. */
typedef struct Wrong {
    int rank; /* of the result; 0: a number */
    bool ints;
    bool words; /* at most one index is outside if p is one of -1, 0, 1 */
    const char *text;
} Wrong;

static const Wrong forms[] = {
    {1, false, true, "%t[] %y(i : 0..%n) = (%t) %a(i + %p);"},
    {1, false, true, "%t[] %y(i : 0..%n) = (%t) (%a(i) + %a(%n - 1 - i + %p));"},
    {1, false, false, "%t[] %y(i : 0..%n) = (%t) sum(d : -1..2, %a(i + d + %p));"},
    {1, false, false, "%t[] %y(i : 0..%n / 2 + 1) = (%t) %a(2 * i + %p);"},
    {1, false, false, "%t[] %y(i : 0..%n) = (%t) (i > %p ? %a(i - %q) : 3);"},
    {1, false, true, "%t[] %y(i : 0..%n) = (%t) (i + %p >= 0 && i + %p < %n ? %a(i + %p) : 3);"},
    {1, false, true, "double[] %y(i : 0..%n) = i < 2 ? %q : %y(i - 1) + %a(i + %p);"},
    {1, true, true, "int[] %y(k : 0..7) = sum(i : 0..%n, ((int) %a(i + %p) & 7) == k ? 1 : 0);"},
    {2, false, false, "%t[,] %y(i : 0..%n, j : 0..%m) = (%t) (%b(i + %p, j) + %b(i, j + %q));"},
    {2, false, false, "%t[,] %y(j : 0..%m, i : 0..%n) = (%t) (%b(i + %p, j) + 1);"},
    {1, false, false, "double[] %y(j : 0..%m) = sum(i : 0..%n, (double) %b(i + %p, j));"},
    {1, false, false, "double[] %y(i : 0..%n) = sum(j : 0..%m, (double) %b(i, j + %p));"},
    {1, false, false, "double[] %y(i : 0..%n) = sum(j : 0..i + %p, (double) %b(i, j));"},
    {2, false, false,
     "double[,] %y(i : 0..%n, k : 0..%n) = sum(j : 0..%m, (double) %b(i + %p, j) * %b(k, j + "
     "%q));"},
    {2, false, false,
     "double[,] %y(i : 0..%n, j : 0..%m) = i == 0 || j == 0 ? 1 : max(%y(i - 1, j), %y(i, j - 1)) "
     "+ "
     "%b(i + %p, j);"},
    {1, true, false, "%t[] %y(i : 0..%n) = (%t) (100 / ((int) %a(i) - %q));"},
    {1, true, false, "long[] %y(i : 0..%n) = sum(j : 0..%m, (long) ((int) %b(i, j) % (i - %q)));"},
    {1, false, false, "%t[] %y(i : 0..%n) = (%t) max(j : 0..i % 3 + %p, %a(i));"},
    {0, false, true, "double %y = sum(i : 0..%n, (double) %a(i + %p));"},
    {0, false, false, "double %y = max(i : 0..%n, j : 0..%m, (double) %b(i, j + %p));"},
    {0, true, false, "long %y = sum(i : 0..%n, 7 / ((long) %a(i) - %q));"},
};

void stmt_wrong(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, SHORT};
    const Wrong *form = &ONE_OF(g, forms);
    Ty t = form->ints && choose(g, 2) ? LONG : ONE_OF(g, types);
    Span d[2] = {{0, 1 + choose_length(g)}, {0, 1 + choose(g, 50)}};
    if (form->rank == 1) d[0].hi += choose(g, 3) * 150;
    while (d[0].hi * d[1].hi > 3000) d[1].hi = (d[1].hi + 1) / 2;
    Value a = *base_array(g, t, (Size){3, 0}, 1, d), b = *base_array(g, t, (Size){3, 0}, 2, d);
    g->nvalues -= 2;
    char n[16], m[16], p[16], q[16], y[16];
    int by = choose(g, 6) - 2;
    if (by > 2) by = 0;
    new_name(g, y, "wy");
    snprintf(p, sizeof p, by < 0 ? "(%d)" : "%d", by);
    snprintf(q, sizeof q, "%d", choose(g, 3) - (form->rank == 2));
    covered(by ? "what may be wrong" : "what may be right");
    text_add(g->out, "    try {\n        ");
    write_form(g->out, form->text, "tyabnmpq",
               (const char *const[]){ty_name(t), y, a.name, b.name, number_text(n, d[0].hi),
                                     number_text(m, d[1].hi), p, q});
    if (form->rank)
        text_printf(g->out, "\n        show%d(\"%s\", %s);\n", form->rank, y, y);
    else
        text_printf(g->out, "\n        Console.WriteLine(\"%s \" + text(%s));\n", y, y);
    text_printf(g->out, "    } catch (Exception e) {\n        Console.WriteLine(%s(e));\n    }\n",
                form->words && by > -2 && by < 2 ? "told" : "kind");
}
