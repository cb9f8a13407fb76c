/* Statements of known forms that schedules are made for. */
#include "../random.h"

static int pick(Gen *g, const int *of, int n)
{
    return of[choose(g, n)];
}

/* Products in all transpositions, batched or not, other operations than + and *, with epilogues. */
void stmt_contraction(Gen *g)
{
    static const int lengths[] = {3, 1, 2, 7, 16, 17, 33, 64, 65, 0};
    static const Ty types[] = {FLOAT, INT, DOUBLE, LONG, HALF, UINT, SHORT, ULONG};
    Ty t = types[choose(g, 8)], result = t == HALF ? FLOAT : t == SHORT ? INT : t;
    int m = pick(g, lengths, 10), n = pick(g, lengths, 10), k = pick(g, lengths, 10),
        batch = choose(g, 4) == 3 ? 1 + choose(g, 3) : 0;
    while ((long)m * n * k * (batch ? batch : 1) > 80000) m = m / 2, n = n / 2 + 1, k = k / 2 + 1;
    bool ta = choose(g, 2), tb = choose(g, 2), vector = !batch && choose(g, 5) == 4;
    int op = choose(g, 4), epilogue = choose(g, 5);
    if (!k && op >= 2) op = 0;
    Span b = {0, batch}, sm = {0, m}, sn = {0, n}, sk = {0, k};
    Span da[3] = {b, ta ? sk : sm, ta ? sm : sk}, db[3] = {b, tb ? sn : sk, tb ? sk : sn};
    int rank = batch ? 3 : 2;
    covered("contraction");
    Value x = *base_array(g, t, (Size){3, 1}, rank, batch ? da : da + 1);
    Value y = *base_array(g, t, (Size){3, 1}, vector ? 1 : rank,
                          vector  ? &sk
                          : batch ? db
                                  : db + 1);
    static const char *const names[] = {"+ ", "sum", "min", "max"};
    Span dc[3] = {b, sm, sn};
    Value *v =
        new_value(g, "c", result, ty_real(t) ? (Size){15, 3} : ty_size(result), vector ? 1 : rank,
                  vector  ? &sm
                  : batch ? dc
                          : dc + 1,
                  true);
    Value c = *v;
    text_add(g->out, "    ");
    write_type(g, result, c.rank, true);
    text_printf(g->out, " %s(%si%s) = ", c.name, batch ? "b, " : "", vector ? "" : ", j");
    const char *after = "";
    if (epilogue == 1) text_add(g->out, "2 * "), after = " + 1";
    if (epilogue == 2) text_add(g->out, "Math.Max("), after = result == UINT ? ", 3u)" : ", 3)";
    if (epilogue == 3) after = " > 5 ? 1 : 2";
    if (epilogue == 4 && op < 2) after = " - i";
    if ((epilogue == 3 || epilogue == 4) && (result == UINT || result == ULONG)) after = "";
    text_printf(g->out, "%s(%s%s(%s%s) %s %s(%s%s))%s;\n", names[op], t == HALF ? "(float) " : "",
                x.name, batch ? "b, " : "", ta ? "k, i" : "i, k", op < 2 ? "*" : "+", y.name,
                batch ? "b, " : "",
                vector ? "k"
                : tb   ? "j, k"
                       : "k, j",
                after);
    show(g, &c);
    if (batch || vector || op >= 2 || choose(g, 2)) return;
    covered("contraction in a reduction");
    Value r = *new_value(g, "c", INT, ty_size(INT), 1, &sm, true);
    text_printf(g->out,
                "    int[] %s(i : 0..%d) = sum(j : 0..%d, sum(%s%s(%s) * %s(%s)) > 3%s ? j : 1);\n",
                r.name, m, n, t == HALF ? "(float) " : "", x.name, ta ? "k, i" : "i, k", y.name,
                tb ? "j, k" : "k, j", result == UINT || result == ULONG ? "u" : "");
    show(g, &r);
}

/* Scans up and down, sweeps over two dimensions, solves. */
void stmt_recurrence(Gen *g)
{
    static const char *const ops[] = {"+", "-", "*", "^", "&"};
    int form = choose(g, 5);
    Ty t = choose(g, 3) == 2 ? LONG : INT;
    bool real = choose(g, 3) == 2;
    if (real) t = choose(g, 2) ? DOUBLE : FLOAT;
    Size s = ty_size(t), step = real ? (Size){s.mag - 8, s.frac} : s;
    Span d[2] = {choose_span(g, 65), choose_span(g, 17)};
    const char *op = real ? ops[choose(g, 2)] : ops[choose(g, 5)];
    bool two = form >= 3;
    if (two && d[0].hi - d[0].lo > 17) d[0].hi = d[0].lo + 17;
    if (!real && choose(g, 3) == 0) { /* long enough for lanes, parts and tiles */
        covered("long recurrence");
        d[0].hi += two ? 30 : 1000 + choose(g, 500);
        if (two) d[1].hi += 40;
    }
    covered(two ? "recurrence over two" : "recurrence");
    Value *r = new_value(g, "r", t, s, two ? 2 : 1, d, true);
    Value v = *r;
    g->nvalues--;
    text_add(g->out, "    ");
    write_type(g, t, v.rank, true);
    const Var *i = open_var(g, true, d[0]), *j = two ? open_var(g, true, d[1]) : NULL;
    g->work = (span_len(d[0]) + 1) * (two ? span_len(d[1]) + 1 : 1);
    text_printf(g->out, " %s(%s : %d..%d", v.name, i->name, d[0].lo, d[0].hi);
    if (two) text_printf(g->out, ", %s : %d..%d", j->name, d[1].lo, d[1].hi);
    text_add(g->out, ") = ");
    g->guarded++;
    switch (form) {
    case 0: text_printf(g->out, "%s == %d ? ", i->name, d[0].lo); break;
    case 1: text_printf(g->out, "%s == %d ? ", i->name, d[0].hi - 1); break;
    case 2: text_printf(g->out, "%s < %d ? ", i->name, d[0].lo + 2); break;
    default:
        text_printf(g->out, "%s == %d || %s == %d ? ", i->name, d[0].lo, j->name,
                    form == 3 ? d[1].lo : d[1].hi - 1);
        break;
    }
    write_expr(g, t, step, 2);
    switch (form) {
    case 0: text_printf(g->out, " : %s(%s - 1) %s ", v.name, i->name, op); break;
    case 1: text_printf(g->out, " : %s(%s + 1) %s ", v.name, i->name, op); break;
    case 2:
        text_printf(g->out,
                    real ? " : Math.Max(%s(%s - 1), %s(%s - 2)) %s "
                         : " : (%s(%s - 1) - %s(%s - 2)) %s ",
                    v.name, i->name, v.name, i->name, op);
        break;
    default:
        text_printf(g->out,
                    real ? " : Math.Min(%s(%s - 1, %s), %s(%s, %s %s 1)) + "
                         : " : %s(%s - 1, %s) * 3 - %s(%s, %s %s 1) + ",
                    v.name, i->name, j->name, v.name, i->name, j->name, form == 3 ? "-" : "+");
        break;
    }
    bool product = op[0] == '*' || op[0] == '&' || op[0] == '^' || op[0] == '-';
    if (product) text_add(g->out, "(");
    write_expr(g, t, step, 2);
    if (product) text_add(g->out, ")");
    text_add(g->out, ";\n");
    g->guarded--;
    g->nvars = 0;
    g->work = 1;
    g->values[g->nvalues++] = v;
    show(g, &v);
}

/* A reduction by key, a histogram with values */
void stmt_key(Gen *g)
{
    static const int keys[] = {3, 1, 7, 16, 65};
    static const char *const names[] = {"sum", "max", "min"};
    const Value *a = any_value(g);
    if (!a || a->type == BOOL || a->rank > 2) return;
    Value data = *a;
    Span d = {0, pick(g, keys, 5)};
    if (d.hi * value_len(&data) * data.work > WORK) d.hi = 3;
    int op = choose(g, 3);
    Value v = *new_value(g, "h", INT, ty_size(INT), 1, &d, true);
    g->nvalues--;
    covered("reduction by key");
    text_printf(g->out, "    int[] %s(b : 0..%d) = %s(", v.name, d.hi, names[op]);
    for (int i = 0; i < data.rank; i++) {
        const Var *w = open_var(g, true, data.dom[i]);
        text_printf(g->out,
                    data.rank == 1 ? "%s : %s, "
                    : i == 0       ? "(%s, "
                                   : "%s) : %s, ",
                    w->name, data.name);
    }
    g->work = d.hi * value_len(&data);
    count_read(g, &data, 1);
    text_printf(g->out, "((int) %s(", data.name);
    for (int i = 0; i < data.rank; i++) text_printf(g->out, "%s%s", i ? ", " : "", g->vars[i].name);
    text_printf(g->out, ") & %d) == b ? ",
                d.hi == 1    ? 0
                : d.hi == 3  ? 1
                : d.hi == 7  ? 7
                : d.hi == 16 ? 15
                             : 63);
    g->guarded++;
    write_expr(g, INT, ty_size(INT), 2);
    g->guarded--;
    text_add(g->out, " : 0);\n");
    g->nvars = 0;
    g->work = 1;
    g->values[g->nvalues++] = v;
    show(g, &v);
}

/* A lazy value built in a loop, or arrays that follow each other */
void stmt_chain(Gen *g)
{
    const Value *a = any_value(g);
    if (!a || (a->type != INT && a->type != FLOAT && a->type != DOUBLE && a->type != LONG) ||
        a->size.mag > 12)
        return;
    Value from = *a;
    Size s = ty_real(from.type) ? (Size){from.size.mag + 3, from.size.frac} : ty_size(from.type);
    bool array = choose(g, 3) == 2, stencil = array && from.rank == 1;
    Value v = *new_value(g, "x", from.type, s, from.rank, from.dom, array);
    covered("chain in a loop");
    text_add(g->out, "    ");
    write_type(g, from.type, from.rank, array);
    text_printf(g->out, " %s = %s;\n", v.name, from.name);
    int n = 2 + choose(g, 5);
    if (!array) g->values[g->nvalues - 1].work = (n + 1) * from.work;
    if (stencil) {
        text_printf(g->out,
                    "    for (int k = 0; k < %d; k++) {\n        %s[] next(i : %s) = i > %d && i < "
                    "%d ? Math.Max(%s(i - 1), %s(i + 1)) : %s(i) - 1;\n        %s = next;\n    }\n",
                    n, ty_name(from.type), v.name, from.dom[0].lo, from.dom[0].hi - 1, v.name,
                    v.name, v.name, v.name);
    } else {
        text_printf(g->out, "    for (int k = 0; k < %d; k++) %s = %s + %s;\n", n, v.name, v.name,
                    from.name);
    }
    show(g, &v);
}

/* Ranges that depend on other variables */
void stmt_ragged(Gen *g)
{
    static const char *const names[] = {"sum", "+ ", "max"};
    Span d = choose_span(g, 33);
    d = (Span){0, d.hi - d.lo};
    Value v = *new_value(g, "g", LONG, ty_size(LONG), 1, &d, true);
    g->nvalues--;
    int op = choose(g, 3), form = choose(g, 3);
    covered("ragged range");
    const Var *i = open_var(g, true, d);
    const char *iname = i->name;
    char pointers[16] = "";
    if (form == 2) { /* as in a sparse matrix */
        new_name(g, pointers, "q");
        text_printf(g->out, "    int[] %s(i : 0..%d) = i * (i + %d) / 4;\n", pointers, d.hi + 1,
                    4 + choose(g, 3));
    }
    text_printf(g->out, "    long[] %s(%s : 0..%d) = %s(", v.name, iname, d.hi, names[op]);
    const Var *k = open_var(g, true, (Span){0, form == 2 ? 400 : d.hi});
    if (form == 0)
        text_printf(g->out, "%s : 0..%s + 1, ", k->name, iname);
    else if (form == 1)
        text_printf(g->out, "%s : %s..%d, ", k->name, iname, d.hi);
    else
        text_printf(g->out, "%s : %s(%s)..%s(%s + 1), ", k->name, pointers, iname, pointers, iname);
    if (form == 2 && op == 2) text_printf(g->out, "%s == 0 ? 1L : ", k->name);
    g->work = 65 * 33;
    write_expr(g, LONG, ty_size(LONG), 3);
    text_add(g->out, ");\n");
    g->nvars = 0;
    g->work = 1;
    g->values[g->nvalues++] = v;
    show(g, &v);
}

/* sum(u(i + j) * w(j)): the valid convolution, in one or two dimensions */
void stmt_window(Gen *g)
{
    static const Ty types[] = {FLOAT, INT, DOUBLE, LONG};
    static const int lengths[] = {3, 1, 2, 5};
    Ty t = types[choose(g, 4)];
    int rank = 1 + choose(g, 2), w = pick(g, lengths, 4), h = pick(g, lengths, 4);
    Span du[2] = {choose_span(g, 65), choose_span(g, 65)}, dw[2] = {{0, w}, {0, h}}, d[2];
    if (span_len(du[0]) < w) du[0].hi = du[0].lo + w;
    if (span_len(du[1]) < h) du[1].hi = du[1].lo + h;
    if (rank == 2 && span_len(du[0]) > 33) du[0].hi = du[0].lo + 33;
    Value u = *base_array(g, t, (Size){3, 1}, rank, du),
          k = *base_array(g, t, (Size){3, 1}, rank, dw);
    for (int i = 0; i < rank; i++) d[i] = (Span){du[i].lo, du[i].hi - span_len(dw[i]) + 1};
    covered("window");
    Value v = *new_value(g, "y", t, ty_real(t) ? (Size){12, 3} : ty_size(t), rank, d, true);
    text_add(g->out, "    ");
    write_type(g, t, rank, true);
    if (rank == 1)
        text_printf(g->out, " %s(i) = sum(%s(i + j) * %s(j));\n", v.name, u.name, k.name);
    else
        text_printf(g->out, " %s(i, j) = sum(%s(i + di, j + dj) * %s(di, dj));\n", v.name, u.name,
                    k.name);
    show(g, &v);
}

void stmt_user_reduction(Gen *g)
{
    static const struct {
        const char *marks, *body;
    } kinds[] = {
        {"[Associative, Commutative] ", "a ^ b"},
        {"[Associative, Commutative] ", "a > b ? a : b"},
        {"[Associative] ", "b"},
        {"[Associative] ", "a == 0 ? b : a"},
        {"[Associative, Commutative, Identity(0)] ", "a + b"},
        {"", "a * 3 - b"},
        {"", "b % 7 == 3 ? a : a + b * 2"},
        {"[Associative, Commutative, Identity(1)] ", "a * b"},
    };
    const Value *a = any_value(g);
    if (!a) return;
    Value of = *a;
    Ty t = choose(g, 2) ? LONG : INT;
    int kind = choose(g, 8);
    char name[16];
    new_name(g, name, "op");
    covered("user reduction");
    text_printf(&g->decls, "%s%s %s_%d(%s a, %s b) => %s;\n", kinds[kind].marks, ty_name(t), name,
                g->number, ty_name(t), ty_name(t), kinds[kind].body);
    bool rows = of.rank > 1 && choose(g, 2);
    if (rows) { /* over the last or the first dimension */
        Span d = of.dom[0];
        bool last = of.rank == 2 && choose(g, 2);
        if (last) d = of.dom[1];
        Value v = *new_value(g, "u", t, ty_size(t), 1, &d, true);
        covered("user reduction of rows");
        text_printf(g->out, "    %s[] %s(i) = %s_%d(", ty_name(t), v.name, name, g->number);
        limit_begin(g, of.type, of.size, t, ty_size(t));
        text_printf(g->out, of.rank == 3 ? "%s(i, k, l)" : last ? "%s(k, i)" : "%s(i, k)", of.name);
        limit_end(g, of.type, of.size, t, ty_size(t));
        text_add(g->out, ");\n");
        show(g, &v);
        return;
    }
    text_printf(g->out, "    Console.WriteLine(%s_%d(", name, g->number);
    write_function(g, t, ty_size(t), &of, 2);
    text_add(g->out, "));\n");
}

void stmt_fold(Gen *g)
{
    const Value *a = any_value(g);
    if (!a) return;
    Value of = *a;
    static const char *const bodies[] = {"s * 3 + x", "x > s ? x : s - 1", "(s ^ x) + (s << 3)"};
    Ty acc = choose(g, 2) ? INT : LONG;
    covered("Fold");
    text_printf(g->out, "    Console.WriteLine(Fold(");
    write_function(g, INT, ty_size(INT), &of, 2);
    text_printf(g->out,
                acc == INT ? ", %d, (int s, int x) => %s));\n"
                           : ", %dL, (long s, int x) => %s));\n",
                choose(g, 5), bodies[choose(g, 3)]);
}
