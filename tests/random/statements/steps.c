/* Loops over time: arrays that are made anew from themselves, step by step, which the runtime may hold back and take together
 * (CS_PLAN). Somebody may look at a step, keep it, write to it, or a step may fail. */
#include "../random.h"

#include <stdio.h>
#include <string.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

typedef struct Loop {
    Ty type;
    int rank, steps;
    Span dom[MAX_RANK];
    char u[16], w[16], next[16]; /* what is stepped, what stays, a step */
} Loop;

static const char *const vars[] = {"i", "j", "k"};

/* ---- one step ---------------------------------------------------------------------------------- */

/* %s(i - 1, j), inside or however the border says */
static void write_shifted(Gen *g, const Loop *l, const char *name, bool inside, Text *guard)
{
    static const char *const borders[] = {"Clamp", "Periodic", "Mirror", "Constant"};
    int kind = inside ? 5 : choose(g, 6), at[MAX_RANK];
    Text index = {0}, test = {0};
    for (int d = 0; d < l->rank; d++) {
        const Span *s = &l->dom[d];
        at[d] = choose(g, 2) ? 0 : choose(g, 5) - 2;
        text_printf(&index, at[d] ? "%s%s + %d" : "%s%s", d ? ", " : "", vars[d], at[d]);
        if (at[d] < 0) text_printf(&test, " && %s >= %d", vars[d], s->lo - at[d]);
        if (at[d] > 0) text_printf(&test, " && %s + %d < %d", vars[d], at[d], s->hi);
    }
    if (kind < 4) {
        text_printf(g->out, "%s(%s", borders[kind], name);
        text_printf(g->out, kind == 3 ? ", (%s) 1)(%s)" : ")(%s)",
                    kind == 3 ? ty_name(l->type) : index.data, index.data);
    } else if (!test.data) {
        text_printf(g->out, "%s(%s)", name, index.data);
    } else if (kind == 4) {
        text_printf(g->out, "(%s ? %s(%s) : %s)", test.data + 4, name, index.data,
                    ty_real(l->type) ? "0.5f" : "3");
    } else { /* the guard is around all of the step */
        text_printf(g->out, "%s(%s)", name, index.data);
        text_add(guard, test.data);
    }
    text_free(&index);
    text_free(&test);
}

/* Of up to four elements; values stay within what they are. */
static void write_mixed(Gen *g, const Loop *l, const char *name, int depth, bool inside,
                        Text *guard)
{
    static const char *const wholes[] = {"%a + %b",
                                         "%a ^ %b",
                                         "Math.Max(%a, %b)",
                                         "%a * 3 - %b",
                                         "Math.Min(%a, %b)",
                                         "(%a > %b ? %b : %a)",
                                         "(%a & 15) * (%b & 7) + t",
                                         "(%a == t ? %b : %a)"};
    static const char *const reals[] = {"0.5f * (%a + %b)",      "Math.Max(%a, %b)",
                                        "Math.Min(%a, %b)",      "(%a > %b ? %b : %a)",
                                        "0.5f * %a - 0.5f * %b", "(%a < t ? %b : %a)"};
    if (depth == 0 || rarely(g, 4)) {
        write_shifted(g, l, rarely(g, 5) ? l->w : name, inside, guard);
        return;
    }
    const char *form = ty_real(l->type) ? ONE_OF(g, reals) : ONE_OF(g, wholes);
    Text a = {0}, b = {0}, *out = g->out;
    g->out = &a;
    write_mixed(g, l, name, depth - 1, inside, guard);
    g->out = &b;
    write_mixed(g, l, name, depth - 1, inside, guard);
    g->out = out;
    text_add(out, "(");
    write_form(out, form, "ab", (const char *const[]){a.data, b.data});
    text_add(out, ")");
    text_free(&a);
    text_free(&b);
}

static void write_ranges(Gen *g, const Loop *l, bool given)
{
    for (int d = 0; d < l->rank; d++) {
        text_printf(g->out, "%s%s", d ? ", " : "", vars[d]);
        if (given) text_printf(g->out, " : %d..%d", l->dom[d].lo, l->dom[d].hi);
    }
}

static void write_here(Gen *g, const Loop *l, const char *name)
{
    text_printf(g->out, "%s(", name);
    write_ranges(g, l, false);
    text_add(g->out, ")");
}

/* T[,] next(i : .., j : ..) = .. */
static void write_step(Gen *g, const Loop *l, const char *next, const char *name, int depth)
{
    Text guard = {0}, value = {0}, *out = g->out;
    bool inside = choose(g, 2) == 0, narrow = ty_bits(l->type) && ty_bits(l->type) < 31;
    g->out = &value;
    write_mixed(g, l, name, depth, inside, &guard);
    g->out = out;
    text_add(out, "        ");
    write_type(g, l->type, l->rank, true);
    text_printf(out, " %s(", next);
    write_ranges(g, l, true);
    text_printf(out, ") = (%s) (", ty_name(l->type));
    if (guard.data) text_printf(out, "%s ? ", guard.data + 4);
    text_printf(out, narrow ? "(int) %s" : "%s", value.data);
    if (guard.data) {
        text_add(out, narrow ? " : (int) " : " : ");
        write_here(g, l, name);
    }
    text_add(out, ");\n");
    text_free(&guard);
    text_free(&value);
}

/* The inside as a function of its own, which the whole array or a slice takes. */
static void write_inside(Gen *g, const Loop *l, bool slice)
{
    static const char *const forms[] = {"Math.Max(%a, %b)", "(%a > %b ? %b : %a)",
                                        "Math.Min(%a, %b)"};
    Text a = {0}, b = {0};
    char v[16];
    new_name(g, v, "v");
    for (int d = 0; d < l->rank; d++) {
        text_printf(&a, "%s%s - 1", d ? ", " : "", vars[d]);
        text_printf(&b, "%s%s + %d", d ? ", " : "", vars[d], 1 + choose(g, 2) * (d == 0));
    }
    text_printf(g->out, "        var %s(", v);
    write_ranges(g, l, false);
    text_add(g->out, ") = ");
    Text first = {0}, second = {0};
    text_printf(&first, "%s(%s)", l->u, a.data);
    text_printf(&second, "%s(%s)", l->u, b.data);
    write_form(g->out, ONE_OF(g, forms), "ab", (const char *const[]){first.data, second.data});
    text_add(g->out, ";\n        ");
    if (slice) { /* copies what somebody else has */
        write_type(g, l->type, l->rank, true);
        text_printf(g->out, " %s = %s;\n        %s[", l->next, l->u, l->next);
        bool two = strstr(b.data, "+ 2") != NULL;
        for (int d = 0; d < l->rank; d++)
            text_printf(g->out, "%s%d..%d", d ? ", " : "", l->dom[d].lo + 1,
                        l->dom[d].hi - 1 - (d == 0 && two));
        text_printf(g->out, "] = %s;\n", v);
    } else {
        text_printf(g->out, "        ");
        write_type(g, l->type, l->rank, true);
        text_printf(g->out, " %s = %s ?? %s;\n", l->next, v, l->u);
    }
    text_free(&a);
    text_free(&b);
    text_free(&first);
    text_free(&second);
}

/* ---- what happens besides ------------------------------------------------------------------------ */

static void write_corner(Gen *g, const Loop *l, const char *brackets)
{
    text_printf(g->out, "%c", brackets[0]);
    for (int d = 0; d < l->rank; d++)
        text_printf(g->out, "%s%d", d ? ", " : "", l->dom[d].lo + choose(g, span_len(l->dom[d])));
    text_printf(g->out, "%c", brackets[1]);
}

static void write_event(Gen *g, const Loop *l, const char *old)
{
    int kind = choose(g, 6);
    if (kind == 0) return;
    int at = choose(g, l->steps);
    text_printf(g->out, rarely(g, 4) ? "        if (t >= %d) " : "        if (t == %d) ", at);
    switch (kind) {
    case 1: text_printf(g->out, "%s = %s;\n", old, l->u); break;
    case 2:
        text_add(g->out, l->u);
        write_corner(g, l, "[]");
        text_printf(g->out, " = (%s) 2;\n", ty_name(l->type));
        break;
    case 3:
        text_printf(g->out, "Console.WriteLine(\"at %s \" + text(max(%s)));\n", l->u, l->u);
        break;
    case 4:
        text_printf(g->out, "Console.WriteLine(\"of %s \" + text(%s", l->u, l->u);
        write_corner(g, l, "()");
        text_add(g->out, "));\n");
        break;
    default: text_printf(g->out, "%s = %s;\n", l->u, l->w); break;
    }
}

/* t < 3 || i > 0 ? i : i - t: a read outside in some step */
static void write_failing(Gen *g, const Loop *l)
{
    int late = choose(g, l->steps + 3);
    covered("steps that fail");
    text_add(g->out, "        ");
    write_type(g, l->type, l->rank, true);
    text_printf(g->out, " %s(", l->next);
    write_ranges(g, l, true);
    text_printf(g->out, ") = %s(t < %d || i > %d ? i : i - t - %d", l->u, late, l->dom[0].lo,
                choose(g, 3));
    for (int d = 1; d < l->rank; d++) text_printf(g->out, ", %s", vars[d]);
    text_add(g->out, ");\n");
}

/* u = u + old; told = told * 5 + sum(u * w): arrays and scalars of them, all at one point */
static void write_told(Gen *g, const Loop *l, const char *old)
{
    static const char *const wholes[] = {"%a + %b", "%a * 3 - %b", "%a ^ %b", "%b - %a + t"};
    static const char *const halves[] = {"0.5f * (%a + %b)", "0.5f * %a - 0.5f * %b"};
    static const char *const sums[] = {"sum(%a * %b)", "max(%a) - min(%b)", "sum(%a) + max(%b)"};
    static const char *const most[] = {"max(%a)", "max(%a) - min(%b)", "min(%b)"};
    const char *names[] = {l->u, old, l->w};
    bool real = ty_real(l->type);
    for (int k = 0, n = 1 + choose(g, real ? 2 : 3); k < n; k++) {
        const char *of[] = {ONE_OF(g, names), ONE_OF(g, names)};
        text_printf(g->out, "        %s = ", names[choose(g, 2)]);
        write_form(g->out, real ? ONE_OF(g, halves) : ONE_OF(g, wholes), "ab", of);
        text_add(g->out, ";\n");
    }
    for (int k = 0, n = 1 + choose(g, 2); k < n; k++) {
        const char *of[] = {ONE_OF(g, names), ONE_OF(g, names)};
        text_printf(g->out, "        told%s = told%s * %d + ", l->u, l->u, real ? 1 : 5);
        write_form(g->out, real ? ONE_OF(g, most) : ONE_OF(g, sums), "ab", of);
        text_add(g->out, ";\n");
    }
}

void stmt_steps(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, SHORT};
    static const int steps[] = {3, 1, 2, 9, 5, 7, 12, 17};
    Loop l = {.type = ONE_OF(g, types), .rank = 2 + (choose(g, 4) == 3), .steps = ONE_OF(g, steps)};
    if (rarely(g, 8)) l.rank = 1;
    bool real = ty_real(l.type);
    if (real && l.steps > 7) l.steps = 7;
    for (int d = 0; d < l.rank; d++) {
        int lo = choose(g, 4) == 3 ? choose(g, 7) - 3 : 0;
        l.dom[d] = (Span){lo, lo + 1 + choose(g, l.rank == 3 ? 9 : d ? 70 : 30)};
    }
    Value u = *base_array(g, l.type, (Size){3, 0}, l.rank, l.dom),
          w = *base_array(g, l.type, (Size){3, 0}, l.rank, l.dom);
    while (value_len(&u) * l.steps > 9000) l.steps = l.steps / 2 + 1;
    Size s = real ? (Size){5, 2 * l.steps + 1} : ty_size(l.type); /* halves, by one or two turns */
    Value v = *new_value(g, "y", l.type, s, l.rank, l.dom, true),
          old = *new_value(g, "y", l.type, s, l.rank, l.dom, true);
    new_name(g, l.next, "n");
    snprintf(l.u, sizeof l.u, "%s", v.name);
    snprintf(l.w, sizeof l.w, "%s", w.name);
    covered(l.rank < 2 ? "loop over time of lines" : "loop over time");
    int form = choose(g, 10);
    if (form == 9 && ty_bits(l.type) && ty_bits(l.type) < 31) form = 0;
    Value third = form == 8 ? *new_value(g, "y", l.type, s, l.rank, l.dom, true) : old;
    const Value *all[] = {&v, &old, &third};
    for (int i = 0; i < (form == 8 ? 3 : 2); i++) {
        text_add(g->out, "    ");
        write_type(g, l.type, l.rank, true);
        text_printf(g->out, " %s = %s;\n", all[i]->name, u.name);
    }
    for (int d = 0; d < l.rank; d++)
        if ((form == 2 || form == 3) && span_len(l.dom[d]) < 6) form = 0;
    if (form == 5 && choose(g, 2)) form = 6;
    if (form == 9) text_printf(g->out, "    %s told%s = 0;\n", real ? "double" : "long", v.name);
    if (form == 6) text_printf(g->out, "    int last%s = -1;\n    try {\n", v.name);
    text_printf(g->out, "    for (int t = 0; t < %d; t++) {\n", l.steps);
    if (form == 6) text_printf(g->out, "        last%s = t;\n", v.name);
    if (choose(g, 2)) write_event(g, &l, old.name);
    switch (form) {
    case 2:
    case 3:
        covered("steps of the inside");
        write_inside(g, &l, form == 3);
        break;
    case 4: { /* two arrays, each of both */
        char other[16];
        covered("steps of two arrays");
        new_name(g, other, "n");
        Loop m = l;
        snprintf(m.w, sizeof m.w, "%s", old.name);
        write_step(g, &m, l.next, l.u, 1);
        snprintf(m.w, sizeof m.w, "%s", l.next);
        write_step(g, &m, other, old.name, 1);
        text_printf(g->out, "        %s = %s;\n", old.name, other);
        break;
    }
    case 7: /* of the last two */
        covered("steps of the last two");
        snprintf(l.w, sizeof l.w, "%s", old.name);
        write_step(g, &l, l.next, l.u, 2);
        text_printf(g->out, "        %s = %s;\n", old.name, l.u);
        break;
    case 8: { /* one of two others, which are of it and of themselves */
        Loop m = l;
        covered("steps of three arrays");
        snprintf(m.w, sizeof m.w, "%s", old.name);
        const Value *two[] = {&old, &third};
        write_step(g, &m, l.next, l.u, 1);
        for (int i = 0; i < 2; i++) {
            char other[16];
            new_name(g, other, "n");
            snprintf(m.w, sizeof m.w, "%s", i == 0 || choose(g, 2) ? l.next : third.name);
            write_step(g, &m, other, two[i]->name, 1);
            text_printf(g->out, "        %s = %s;\n", two[i]->name, other);
        }
        break;
    }
    case 5: { /* two steps a turn */
        char other[16];
        new_name(g, other, "n");
        write_step(g, &l, other, l.u, 1);
        write_step(g, &l, l.next, other, 1);
        break;
    }
    case 6: write_failing(g, &l); break;
    case 9:
        covered("steps with their scalars");
        write_told(g, &l, old.name);
        break;
    default: write_step(g, &l, l.next, l.u, 2); break;
    }
    if (form != 9) text_printf(g->out, "        %s = %s;\n", l.u, l.next);
    if (choose(g, 2)) write_event(g, &l, old.name);
    text_add(g->out, "    }\n");
    if (form == 6)
        text_printf(
            g->out,
            "    } catch (IndexOutOfRangeException) {\n        Console.WriteLine($\"outside "
            "{last%s}\");\n    }\n",
            v.name);
    if (form == 9) text_printf(g->out, "    Console.WriteLine(text(told%s));\n", v.name);
    show(g, &v);
    if (choose(g, 2)) show(g, &old);
    if (form == 8) show(g, &third);
}
