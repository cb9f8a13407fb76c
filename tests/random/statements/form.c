/* Statements about the forms that functions take: partial application, functions as arguments,
 * restrictions, ranges as values, local arrays; and recurrences with reductions inside. */
#include "../random.h"

#include <stdio.h>

static void begin(Gen *g, const Value *v)
{
    text_add(g->out, "    ");
    write_type(g, v->type, v->rank, v->array);
    text_printf(g->out, " %s = ", v->name);
}

/* m(_, 2) */
void stmt_partial(Gen *g)
{
    const Value *a = any_value(g);
    if (!a || a->rank < 2) return;
    Value of = *a;
    int left = choose(g, of.rank);
    Value v = *new_value(g, "m", of.type, of.size, 1, &of.dom[left], choose(g, 2) == 0);
    if (!v.array) g->values[g->nvalues - 1].work = of.work;
    covered("partial application");
    begin(g, &v);
    text_printf(g->out, "%s(", of.name);
    for (int d = 0; d < of.rank; d++) {
        if (d) text_add(g->out, ", ");
        if (d == left)
            text_add(g->out, "_");
        else
            text_printf(g->out, "%d", of.dom[d].lo + choose(g, span_len(of.dom[d])));
    }
    text_add(g->out, ");\n");
    show(g, &v);
}

/* f(2..5) keeps its indices. */
void stmt_restriction(Gen *g)
{
    const Value *a = any_value(g);
    if (!a || a->rank > 1) return;
    Value of = *a;
    Span dom[MAX_RANK];
    for (int d = 0; d < of.rank; d++) {
        int n = span_len(of.dom[d]), from = choose(g, n);
        dom[d] = (Span){of.dom[d].lo + from, of.dom[d].lo + from + 1 + choose(g, n - from)};
    }
    Value v = *new_value(g, "n", of.type, of.size, of.rank, dom, choose(g, 2) == 0);
    if (!v.array) g->values[g->nvalues - 1].work = of.work;
    covered("restriction");
    begin(g, &v);
    text_printf(g->out, "%s(", of.name);
    for (int d = 0; d < of.rank; d++)
        text_printf(g->out, d ? ", %d..%d" : "%d..%d", dom[d].lo, dom[d].hi);
    text_add(g->out, ");\n");
    show(g, &v);
}

/* (2..9) * 3, Range(1, 20, 4) */
void stmt_range(Gen *g)
{
    Span d = choose_span(g, 65);
    bool step = choose(g, 2);
    int by = 1 + choose(g, 4);
    Span indices = step ? (Span){0, (span_len(d) + by - 1) / by} : d;
    Value v = *new_value(g, "t", INT, (Size){12, 0}, 1, &indices, choose(g, 2) == 0);
    covered("range as a value");
    begin(g, &v);
    if (step)
        text_printf(g->out, "Range(%d, %d, %d) - 2;\n", d.lo, d.hi, by);
    else
        text_printf(g->out, "(%d..%d) * %d;\n", d.lo, d.hi, by);
    show(g, &v);
}

/* A function that takes a function: a lambda, a user function, an operation, an array. */
void stmt_functional(Gen *g)
{
    const Value *a = any_value(g);
    if (!a) return;
    Value of = *a;
    Ty t = choose(g, 2) ? LONG : INT;
    int form = choose(g, 4);
    char name[16];
    new_name(g, name, "fun");
    const char *type = ty_name(t);
    covered("functional parameter");
    static const char *const bodies[] = {"g(x) + g(x + 1)", "x > 2 ? g(g(x)) : g(-x)",
                                         "g(x % 7) - x", "g(x) == x ? x : g(x)"};
    text_printf(&g->decls, "%s %s_%d(%s(%s) g, %s x) => %s;\n", type, name, g->number, type, type,
                type, bodies[choose(g, 4)]);
    char actual[64];
    if (form == 0)
        snprintf(actual, sizeof actual, "(%s y) => y * 3 - %d", type, choose(g, 9));
    else if (form == 1)
        snprintf(actual, sizeof actual, "y => y ^ %d", choose(g, 9));
    else if (form == 2)
        snprintf(actual, sizeof actual, "%s_of_%d", name, g->number);
    else
        snprintf(actual, sizeof actual, "y => %s_of_%d(y) + y", name, g->number);
    if (form >= 2)
        text_printf(&g->decls, "%s %s_of_%d(%s z) => z < 0 ? -z : z / 2;\n", type, name, g->number,
                    type);
    Value v = *new_value(g, "n", t, ty_size(t), of.rank, of.dom, true);
    text_add(g->out, "    ");
    write_type(g, t, v.rank, true);
    text_printf(g->out, " %s", v.name);
    if (choose(g, 2)) { /* promoted over the second parameter */
        text_printf(g->out, " = %s_%d(%s, ", name, g->number, actual);
        g->nvalues--;
        write_function(g, t, ty_size(t), &of, 1);
        g->values[g->nvalues++] = v;
    } else {
        for (int d = 0; d < of.rank; d++) text_printf(g->out, d ? ", i%d" : "(i%d", d);
        text_printf(g->out, ") = %s_%d(%s, ", name, g->number, actual);
        limit_begin(g, of.type, of.size, t, ty_size(t));
        text_printf(g->out, "%s(", of.name);
        for (int d = 0; d < of.rank; d++) text_printf(g->out, d ? ", i%d" : "i%d", d);
        text_add(g->out, ")");
        limit_end(g, of.type, of.size, t, ty_size(t));
    }
    text_add(g->out, ");\n");
    show(g, &v);
}

/* A small array that a function fills and reads */
void stmt_local_array(Gen *g)
{
    const Value *a = any_value(g);
    if (!a) return;
    Value of = *a;
    Ty t = choose(g, 2) ? LONG : INT;
    int n = 2 + choose(g, 6);
    char name[16];
    new_name(g, name, "loc");
    covered("local array");
    text_printf(&g->decls,
                "%s %s_%d(%s x) {\n    var w = new %s[%d];\n    for (int k = 0; k < %d; k++) w[k] "
                "= x * k - %d;\n",
                ty_name(t), name, g->number, ty_name(t), ty_name(t), n, n, choose(g, 9));
    if (choose(g, 2))
        text_printf(&g->decls, "    for (int k = 1; k < %d; k++) w[k] = w[k - 1] ^ (w[k] << 1);\n",
                    n);
    if (choose(g, 2)) text_printf(&g->decls, "    w[(int) (x & 1)] += %d;\n", choose(g, 9));
    text_printf(&g->decls, "    return w[%d] + w[(int) (x & 1)];\n}\n", n - 1);
    Value v = *new_value(g, "n", t, ty_size(t), of.rank, of.dom, true);
    g->nvalues--;
    begin(g, &v);
    text_printf(g->out, "%s_%d(", name, g->number);
    write_function(g, t, ty_size(t), &of, 1);
    text_add(g->out, ");\n");
    g->values[g->nvalues++] = v;
    show(g, &v);
}

/* x(i) = b(i) - sum(j : 0..i, l(i, j) * x(j)) and the like */
void stmt_solve(Gen *g)
{
    static const int lengths[] = {3, 1, 2, 7, 16, 17, 33};
    static const char *const names[] = {"sum", "+ ", "max"};
    int n = lengths[choose(g, 7)], form = choose(g, 4), op = choose(g, 3);
    Span d[2] = {{0, n}, {0, n}};
    Value l = *base_array(g, choose(g, 2) ? LONG : INT, (Size){3, 0}, 2, d);
    Value b = *base_array(g, l.type, (Size){3, 0}, 1, d);
    bool two = form == 3;
    if (form == 1) op = choose(g, 2); /* of nothing at first */
    if (form == 1 && n == 1) form = 0;
    if (two) op = 0;
    Value x = *new_value(g, "x", l.type, ty_size(l.type), two ? 2 : 1, d, true);
    covered("recurrence with a reduction");
    text_add(g->out, "    ");
    write_type(g, x.type, x.rank, true);
    switch (form) {
    case 0:
        text_printf(g->out,
                    " %s(i : 0..%d) = i == 0 ? %s(0) : %s(i) - %s(j : 0..i, %s(i, j) * %s(j));\n",
                    x.name, n, b.name, b.name, names[op], l.name, x.name);
        break;
    case 1:
        text_printf(
            g->out,
            " %s(i : 0..%d) = i == %d ? %s(i) : %s(i) + %s(j : i + 1..%d, %s(i, j) * %s(j));\n",
            x.name, n, n - 1, b.name, b.name, names[op], n, l.name, x.name);
        break;
    case 2:
        text_printf(g->out,
                    " %s(i : 0..%d) = i == 0 ? 1 : %s(j : 0..i, %s(j) * %s(i - 1 - j)) - %s(i);\n",
                    x.name, n, names[op], x.name, x.name, b.name);
        break;
    default:
        text_printf(g->out,
                    " %s(i : 0..%d, j : 0..%d) = i < j ? 0 : %s(i, j) - sum(k : 0..j, %s(i, k) * "
                    "%s(j, k));\n",
                    x.name, n, n, l.name, x.name, x.name);
        break;
    }
    show(g, &x);
}

/* sum(d : -1..2, u(i + d) * (d + 2)): the range of i is as if the window were written out. */
void stmt_given_window(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, LONG, DOUBLE};
    Ty t = types[choose(g, 4)];
    int rank = 1 + choose(g, 2), lo = -choose(g, 3), hi = 1 + choose(g, 3);
    Span u[2] = {choose_span(g, 65), choose_span(g, 33)}, d[2];
    for (int i = 0; i < rank; i++) {
        if (span_len(u[i]) < 7) u[i].hi = u[i].lo + 7;
        d[i] = (Span){u[i].lo - lo, u[i].hi - hi + 1};
    }
    Value a = *base_array(g, t, (Size){3, 1}, rank, u);
    Value v = *new_value(g, "y", t, ty_real(t) ? (Size){12, 3} : ty_size(t), rank, d, true);
    covered("window with a given range");
    text_add(g->out, "    ");
    write_type(g, t, rank, true);
    if (rank == 1)
        text_printf(g->out, " %s(i) = sum(d : %d..%d, %s(i + d) * (d + 2));\n", v.name, lo, hi,
                    a.name);
    else
        text_printf(g->out,
                    " %s(i, j) = sum(d : %d..%d, e : %d..%d, %s(i + d, j + e) * (d - e));\n",
                    v.name, lo, hi, lo, hi, a.name);
    show(g, &v);
}

/* Products of another form: distances, three operands, masks, channels. */
void stmt_product(Gen *g)
{
    static const int lengths[] = {3, 1, 2, 7, 16, 17, 33, 64};
    static const Ty types[] = {FLOAT, INT, DOUBLE, LONG};
    Ty t = types[choose(g, 4)];
    int m = lengths[choose(g, 8)], n = lengths[choose(g, 8)], k = lengths[choose(g, 8)],
        form = choose(g, 5);
    while ((long)m * n * k > 60000) m = m / 2 + 1, n = n / 2 + 1, k = k / 2 + 1;
    Span dx[2] = {{0, m}, {0, k}}, dy[2] = {{0, n}, {0, k}}, dc[2] = {{0, m}, {0, n}};
    Value x = *base_array(g, t, (Size){2, 1}, 2, dx), y = *base_array(g, t, (Size){2, 1}, 2, dy),
          w = *base_array(g, t, (Size){2, 0}, 1, &dx[1]);
    Value c = *new_value(g, "c", t, ty_real(t) ? (Size){14, 4} : ty_size(t), 2, dc, true);
    covered("product of another form");
    text_add(g->out, "    ");
    write_type(g, t, 2, true);
    text_printf(g->out, " %s(i, j) = ", c.name);
    switch (form) {
    case 0:
        text_printf(g->out, "sum((%s(i, k) - %s(j, k)) * (%s(i, k) - %s(j, k)))", x.name, y.name,
                    x.name, y.name);
        break;
    case 1: text_printf(g->out, "+ (%s(i, k) * %s(k) * %s(j, k))", x.name, w.name, y.name); break;
    case 2:
        text_printf(g->out, "sum(%s(i, k) > %s(j, k) ? %s(k) : 1)", x.name, y.name, w.name);
        break;
    case 3: text_printf(g->out, "max(Math.Abs(%s(i, k) - %s(j, k)))", x.name, y.name); break;
    default:
        text_printf(g->out, "sum(%s(i, k) * %s(j, k)) - sum(%s(i, l)) * 2", x.name, y.name, x.name);
        break;
    }
    text_add(g->out, ";\n");
    show(g, &c);
}

/* Arrays that are evaluated one after the other, and shown behind all of them: expressions over one domain, of which
 * the later may have the earlier as operands; or sums over all pairs that share a function, and steps of them. */
void stmt_together(Gen *g)
{
    static const char *const pairs[] = {"sum(j : %s, (%s(j) - %s(i)) * %s(i, j))",
                                        "sum(j : %s, %s(j) * %s(i) + %s(i, j))",
                                        "max(j : %s, %s(j) - %s(i) + %s(i, j))"};
    static const Ty types[] = {INT, FLOAT, LONG, DOUBLE};
    const Value *a = any_value(g);
    if (!a) return;
    Value domain = *a, made[4], x, y;
    int n = 2 + choose(g, 3);
    bool all_pairs = choose(g, 2);
    Ty t = types[choose(g, 4)];
    char w[16];
    covered(all_pairs ? "sums over all pairs" : "arrays one after the other");
    if (all_pairs) {
        Span line = choose_span(g, 65);
        x = *base_array(g, t, (Size){2, 1}, 1, &line);
        y = *base_array(g, t, (Size){2, 1}, 1, &line);
        new_name(g, w, "w");
        text_printf(g->out, "    var %s(i, j) = %s(j) * %s(i);\n", w, x.name, y.name);
    }
    for (int i = 0; i < n; i++) {
        Text text = {0}, *out = g->out;
        g->out = &text;
        if (!all_pairs) {
            t = choose_type(g);
            write_function(g, t, ty_size(t), &domain, 2);
            made[i] = *new_value(g, "q", t, ty_size(t), domain.rank, domain.dom, true);
        } else {
            const Value *read = choose(g, 2) ? &y : &x;
            text_printf(g->out, pairs[choose(g, 3)], x.name, read->name, read->name, w);
            if (i && choose(g, 2)) text_printf(g->out, " - %s(i)", made[i - 1].name);
            Size s = ty_real(t) ? (Size){17, 3} : ty_size(t);
            made[i] = *new_value(g, "q", t, s, 1, x.dom, true);
        }
        g->out = out;
        text_add(g->out, "    ");
        write_type(g, t, made[i].rank, true);
        text_printf(g->out, all_pairs ? " %s(i) = %s;\n" : " %s = %s;\n", made[i].name, text.data);
        text_free(&text);
    }
    for (int i = 0; i < n; i++) show(g, &made[i]);
}

/* What fails, in branches and in reductions of one definition: x(p(i)), with indices that the device alone knows. */
void stmt_guarded(Gen *g)
{
    static const char *const conds[] = {"%s(i) == 3", "%s(i) %% 3 == 1", "%s(i) > i",
                                        "%s(i) %% 2 == 0 && i > 2"};
    static const char *const reductions[] = {"sum(k : 0..5, %s + k)", "max(k : 0..3, %s - 2 * k)",
                                             "sum(k : 0..i %% 4, Math.Min(%s, (%s) k))"};
    static const Ty types[] = {INT, FLOAT, LONG, DOUBLE};
    Ty t = types[choose(g, 4)];
    Span line = {0, 1 + choose(g, 70)};
    Value x = *base_array(g, t, (Size){3, 1}, 1, &line);
    char p[16], read[48];
    covered("reads in branches and reductions");
    new_name(g, p, "p");
    text_printf(g->out, "    int[] %s(i : 0..%d) = (i * %d + %d) %% %d;\n", p, line.hi,
                1 + choose(g, 9), choose(g, 9), line.hi);
    snprintf(read, sizeof read, "%s(%s(i))", x.name, p);
    Value *s = new_value(g, "s", t, ty_real(t) ? (Size){12, 1} : ty_size(t), 1, &line, true);
    text_add(g->out, "    ");
    write_type(g, t, 1, true);
    text_printf(g->out, " %s(i : 0..%d) = 1", s->name, line.hi);
    for (int n = 2 + choose(g, 3); n-- > 0;) {
        bool branch = choose(g, 3) > 0;
        text_add(g->out, choose(g, 2) ? " + " : " - ");
        if (branch)
            text_add(g->out, "("), text_printf(g->out, conds[choose(g, 4)], p),
                text_add(g->out, " ? ");
        if (branch && choose(g, 3))
            text_printf(g->out, choose(g, 2) ? "%s" : "%s * 2", read);
        else
            text_printf(g->out, reductions[choose(g, 3)], read, ty_name(t));
        if (branch) text_printf(g->out, choose(g, 2) ? " : %s)" : " : 3)", read);
    }
    text_add(g->out, ";\n");
    show(g, s);
}
