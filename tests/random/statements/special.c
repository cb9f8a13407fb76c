/* Statements over reals that are no plain numbers: NaN, infinities, what no integer holds. A few among many,
 * so that sums are what they are in any order, and what is beside them shows whether it was left alone. */
#include "../random.h"

#include <stdio.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

/* %a has n elements, %b n times m, %w (small integers) n; %c is a comparison, %k a whole number, %i a type of
 * integers, %r the reals' own. */
typedef struct Special {
    int rank; /* of the result; 0: a number */
    bool
        sums; /* numbers that are neither small nor larger than everything would depend on the order */
    const char *text;
} Special;

static const Special forms[] = {
    {1, false, "%i[] %y(i : 0..%n) = (%i) %a(i);"},
    {2, false, "%i[,] %y(i : 0..%n, j : 0..%m) = (%i) (%b(i, j) * 2);"},
    {1, false, "int[] %y(i : 0..%n) = %a(i) %c %k ? 1 : %a(i) %c %a(%n - 1 - i) ? 2 : 3;"},
    {1, false, "int[] %y(i : 0..%n) = !(%a(i) %c %k) && !(%k %c %a(i)) ? 1 : 0;"},
    {1, false, "bool[] %y(i : 0..%n) = %a(i) == %a(i) ^ %a(i) %c %k;"},
    {1, false, "%r[] %y(i : 0..%n) = %a(i) %c %k ? %a(i) : -%a(%n - 1 - i);"},
    {1, false, "%r[] %y(i : 0..%n) = %a(i) != %a(i) ? %k : Math.Abs(%a(i));"},
    {1, false, "%r[] %y(i : 0..%n) = i > 0 ? %w(i) > 2 ? %a(i - 1) : %w(i - 1) : %k;"},
    {0, false, "int %y = sum(i : 0..%n, %a(i) %c %k ? 1 : 0);"},
    {0, false, "bool %y = any(i : 0..%n, j : 0..%m, %b(i, j) %c %k && %b(i, j) == %b(i, j));"},
    {0, false, "bool %y = all(i : 0..%n, %a(i) %c %k || %w(i) > 1);"},
    {1, false, "int[] %y(k : -3..9) = sum(i : 0..%n, (int) %a(i) == k ? %w(i) : 0);"},
    {1, true, "%r[] %y(k : 0..9) = sum(i : 0..%n, %w(i) == k ? %a(i) : 0);"},
    {1, true, "%r[] %y(k : 0..9) = sum(i : 0..%n, (%w(i) == k ? 1 : 0) * %a(i));"},
    {1, true, "%r[] %y(i : 0..%n) = sum(d : -2..3, %a(Math.Min(Math.Max(i + d, 0), %n - 1)));"},
    {1, true, "%r[] %y(i : 2..%n - 2) = sum(d : -2..3, %a(i + d) * (d + 3));"},
    {1, true, "%r[] %y(i : 0..%n) = sum(j : 0..i + 1, %a(j));"},
    {1, true, "%r[] %y(i : 0..%n) = sum(j : 0..%m, %b(i, j));"},
    {1, true, "%r[] %y(j : 0..%m) = sum(i : 0..%n, %b(i, j));"},
    {1, true, "%r[] %y(j : 0..%m) = sum(i : 0..%n, %w(i) > 3 ? %b(i, j) : 0);"},
    {2, true, "%r[,] %y(i : 0..%n, k : 0..%n) = sum(j : 0..%m, (%w(i) + j % 3) * %b(k, j));"},
    {2, true, "%r[,] %y(k : 0..%n, i : 0..%n) = sum(j : 0..%m, %b(i, j) * (j == k ? 1 : 2));"},
    {2, true, "%r[,] %y(i : 0..%n, j : 0..%n) = sum(k : 0..%m, %b(i, k) * %b(j, %m - 1 - k));"},
    {1, true, "%r[] %y(i : 0..%n) = i == 0 ? %a(0) : %y(i - 1) + %a(i);"},
    {1, true, "%r[] %y(i : 0..%n) = i == 0 ? %a(0) : (%w(i) == 1 ? 0 : %y(i - 1)) + %a(i);"},
    {1, true, "%r[] %y(i : 0..%n) = i == 0 ? %a(0) : %w(i) == 2 ? %w(i) : %y(i - 1) + %a(i);"},
    {1, true, "%r[] %y(i : 0..%n) = i == 0 ? 1 : %w(i) == 0 ? %a(i) : -%y(i - 1);"},
    {2, true,
     "%r[,] %y(i : 0..%n, j : 0..%m) = i == 0 ? %b(0, j) : %w(i) == 3 ? j : %y(i - 1, j) + "
     "%b(i, j);"},
    {0, true, "%r %y = sum(i : 0..%n, j : 0..%m, %b(i, j));"},
};

void stmt_special(Gen *g)
{
    static const char *const large[] = {"%r.NaN", "%r.PositiveInfinity", "%r.NegativeInfinity"},
                             *const values[] = {"3e9%s",
                                                "-3e9%s",
                                                "300%s",
                                                "-129%s",
                                                "65535.5%s",
                                                "1e19%s",
                                                "-2.5e19%s",
                                                "0.99%s",
                                                "-0.0%s",
                                                "2147483648.0%s",
                                                "1e-40%s",
                                                "%r.NaN",
                                                "%r.PositiveInfinity",
                                                "%r.NegativeInfinity"};
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="},
                             *const integers[] = {"int",  "byte",  "long",  "short",
                                                  "uint", "sbyte", "ulong", "ushort"};
    const Special *form = &ONE_OF(g, forms);
    bool wide = choose(g, 2);
    const char *real = wide ? "double" : "float", *suffix = wide ? "" : "f";
    int n = 5 + choose_length(g), m = 1 + choose(g, 50);
    if (form->rank == 1) n += choose(g, 3) * 150;
    while (n * m > 3000) m = (m + 1) / 2;
    char names[4][16], rows[16], columns[16], number[16];
    Text special[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        write_form(&special[i], form->sums ? ONE_OF(g, large) : ONE_OF(g, values), "rs",
                   (const char *const[]){real, suffix});
    if (form->sums && choose(g, 2)) { /* one alone: infinities of both signs are NaN together */
        text_free(&special[1]);
        special[1] = (Text){0};
        text_add(&special[1], "1");
    }
    new_name(g, names[0], "sa");
    new_name(g, names[1], "sb");
    new_name(g, names[2], "sw");
    new_name(g, names[3], "sy");
    snprintf(number, sizeof number, "%d", choose(g, 7) - 2);
    covered("reals that are no numbers");
    text_printf(g->out, "    %s[] %s(i : 0..%d) = i == %d ? %s : i == %d ? %s : i * 7 %% 9 - 4;\n",
                real, names[0], n, choose(g, n), special[0].data, choose(g, n), special[1].data);
    text_printf(
        g->out,
        "    %s[,] %s(i : 0..%d, j : 0..%d) = i == %d && j == %d ? %s : i == %d ? %s : (i * 7 + j) "
        "%% 9 - 4;\n",
        real, names[1], n, m, choose(g, n), choose(g, m), special[0].data, choose(g, n),
        choose(g, 2) ? special[1].data : "2");
    text_printf(g->out, "    int[] %s(i : 0..%d) = (i * %d + i / 3) %% 5;\n    ", names[2], n,
                1 + choose(g, 4));
    write_form(g->out, form->text, "ryabwnmkci",
               (const char *const[]){real, names[3], names[0], names[1], names[2],
                                     number_text(rows, n), number_text(columns, m), number,
                                     ONE_OF(g, comparisons), ONE_OF(g, integers)});
    if (form->rank)
        text_printf(g->out, "\n    show%d(\"%s\", %s);\n", form->rank, names[3], names[3]);
    else
        text_printf(g->out, "\n    Console.WriteLine(\"%s \" + text(%s));\n", names[3], names[3]);
    text_free(&special[0]);
    text_free(&special[1]);
}
