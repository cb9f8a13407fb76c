/* One case, and the program around several. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

void write_case(Text *out, int number, Choices *c)
{
    Gen g = {.choices = c, .number = number, .work = 1};
    g.out = &g.body;
    int arrays = 1 + choose(&g, 3);
    for (int i = 0; i < arrays; i++) base_any(&g);
    int statements = 1 + choose(&g, 3);
    for (int i = 0; i < statements; i++) write_statement(&g);
    if (g.reads > 10 * WORK && !c->replay) { /* nobody waits for it under an interpreter */
        fprintf(stderr, "cases: case %d reads %ld elements\n", number, g.reads);
        exit(1);
    }
    if (g.decls.data) text_add(out, g.decls.data);
    text_printf(out, "void case%d() {\n%s}\n\n", number, g.body.data);
    text_free(&g.decls);
    text_free(&g.body);
}

static const char show_text[] =
    "string text<T>(T x) {\n"
    "    string s = $\"{x}\";\n"
    "    return s == \"-0\" ? \"0\" : s.Replace(\"= -0 \", \"= 0 \").Replace(\"= "
    "-0,\", \"= 0,\");\n"
    "}\n"
    "string told(Exception e) => $\"{e}\".Replace(\"Exception\", \"Error\");\n"
    "string kind(Exception e) => e is IndexOutOfRangeException ? \"outside\" : e is "
    "DivideByZeroException ? \"zero\" : e is DomainException ? \"domain\" : told(e);\n"
    "class Shown {\n"
    "    StringBuilder text = new StringBuilder();\n"
    "    int count;\n"
    "    ulong hash = 7;\n"
    "    public void Add(string s) {\n"
    "        if (count++ < 100) text.Append(' ').Append(s);\n"
    "        foreach (char c in s) hash = hash * 31 + (ulong) c;\n"
    "        hash = hash * 31 + 1;\n"
    "    }\n"
    "    public void Write(string name) {\n"
    "        Console.WriteLine($\"{name} {text} {hash}\");\n"
    "    }\n"
    "}\n";

void write_prelude(Text *out)
{
    text_add(out, show_text);
    text_add(out, "void show1<T>(string name, T[] a) {\n    var t = new Shown();\n    for (int i = "
                  "a.GetLowerBound(0); i <= a.GetUpperBound(0); i++) t.Add(text(a[i]));\n"
                  "    t.Write($\"{name} {a.GetLowerBound(0)}..{a.GetUpperBound(0)}\");\n}\n");
    text_add(out, "void show2<T>(string name, T[,] a) {\n    var t = new Shown();\n    for (int i "
                  "= a.GetLowerBound(0); i <= a.GetUpperBound(0); i++)\n"
                  "        for (int j = a.GetLowerBound(1); j <= a.GetUpperBound(1); j++) "
                  "t.Add(text(a[i, j]));\n"
                  "    t.Write($\"{name} {a.GetLowerBound(0)}..{a.GetUpperBound(0)}, "
                  "{a.GetLowerBound(1)}..{a.GetUpperBound(1)}\");\n}\n");
    text_add(out, "void show3<T>(string name, T[,,] a) {\n    var t = new Shown();\n    for (int i "
                  "= a.GetLowerBound(0); i <= a.GetUpperBound(0); i++)\n"
                  "        for (int j = a.GetLowerBound(1); j <= a.GetUpperBound(1); j++)\n"
                  "            for (int k = a.GetLowerBound(2); k <= a.GetUpperBound(2); k++) "
                  "t.Add(text(a[i, j, k]));\n"
                  "    t.Write($\"{name} {a.GetLowerBound(0)}..{a.GetUpperBound(0)}, "
                  "{a.GetLowerBound(1)}..{a.GetUpperBound(1)}, "
                  "{a.GetLowerBound(2)}..{a.GetUpperBound(2)}\");\n}\n");
    /* bits: values in [-2^bits, 2^bits], any if negative; frac: halves or quarters */
    text_add(out, "long noise(int seed, int i) {\n    long h = (seed * 7919L + i) * "
                  "6364136223846793005L + 1442695040888963407L;\n    h = h ^ (h >> 29);\n    "
                  "return h * 2862933555777941757L >> 3;\n}\n");
    for (int t = 0; t < NTYPES; t++)
        for (int rank = 1; rank <= MAX_RANK; rank++) {
            static const char *const dims[] = {"", "int n0, ", "int n0, int n1, ",
                                               "int n0, int n1, int n2, "},
                                     *const sizes[] = {"", "n0", "n0, n1", "n0, n1, n2"},
                                     *const commas[] = {"", "", ",", ",,"};
            const char *type = ty_name((Ty)t);
            text_printf(out,
                        "%s[%s] %s%d(%sint seed, int bits, int frac) {\n    var a = new %s[%s];\n  "
                        "  int at = 0;\n    for (int i = 0; i < n0; i++)\n",
                        type, commas[rank], type, rank, dims[rank], type, sizes[rank]);
            if (rank > 1) text_add(out, "    for (int j = 0; j < n1; j++)\n");
            if (rank > 2) text_add(out, "    for (int k = 0; k < n2; k++)\n");
            text_printf(out, "        { long x = noise(seed, at++); long y = bits < 0 ? x : (x >> "
                             "8) %% ((1L << bits + frac) + 1); ");
            if (!ty_signed((Ty)t)) text_add(out, "if (bits >= 0 && y < 0) y = -y; ");
            text_printf(out, "a[i%s] = ", rank == 3 ? ", j, k" : rank == 2 ? ", j" : "");
            if (t == BOOL)
                text_add(out, "(y & 1) == 1; }\n");
            else if (ty_real((Ty)t))
                text_printf(out, "(%s) (y / (double) (1 << frac)); }\n", type);
            else
                text_printf(out, "(%s) y; }\n", type);
            text_add(out, "    return a;\n}\n");
        }
}

void write_main(Text *out, const int *numbers, int n)
{
    text_add(out, "int from = args.Length > 0 ? int.Parse(args[0]) : 0;\n");
    for (int i = 0; i < n; i++)
        text_printf(out,
                    "if (from <= %d) {\n    Console.WriteLine(\"# %d\");\n    try { case%d(); } "
                    "catch (Exception e) { Console.WriteLine($\"{e}\"); }\n}\n",
                    numbers[i], numbers[i], numbers[i]);
}
